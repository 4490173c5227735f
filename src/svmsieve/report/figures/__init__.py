"""The plots of the report, drawn from its content; each is one SVG that can stand alone."""
