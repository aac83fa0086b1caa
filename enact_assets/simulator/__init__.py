"""The embedded household world: physics, activities, cameras, masks, pictures. No tables here."""
