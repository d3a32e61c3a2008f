"""How well a pipeline answers everyday questions: asked in writing, each answer judged by rule."""
