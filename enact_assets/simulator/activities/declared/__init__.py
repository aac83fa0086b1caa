"""Activities as declarations: what there is and what is to be done; where and when is drawn."""
