"""Path-traced pictures: textures, materials, light, Mitsuba scenes and a denoiser."""
