"""One caller's camera: frames become seconds of video, are prefilled, and may be worth a remark."""
