"""The recogniser of the embedded profile: Whisper on CTranslate2."""
