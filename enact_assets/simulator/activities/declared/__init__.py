"""Activities as declarations: things, places and deeds; where and when is drawn."""
