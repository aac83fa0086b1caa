"""Materials take a colour unless a texture hides it."""


class MaterialPrim:
    def __init__(self, inputs):
        self._inputs = inputs

    @property
    def shader_input_names(self):
        return set(self._inputs)

    @property
    def diffuse_texture(self):
        return self._inputs["diffuse_texture"]

    @diffuse_texture.setter
    def diffuse_texture(self, fpath):
        assert "diffuse_texture" in self._inputs
        self._inputs["diffuse_texture"] = fpath

    @property
    def diffuse_color_constant(self):
        return self._inputs["diffuse_color_constant"]

    @diffuse_color_constant.setter
    def diffuse_color_constant(self, color):
        assert "diffuse_color_constant" in self._inputs
        self._inputs["diffuse_color_constant"] = color.tolist()
