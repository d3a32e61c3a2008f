"""End of turn by how it sounds: the Smart Turn model on onnxruntime."""
