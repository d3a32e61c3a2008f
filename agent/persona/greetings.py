"""What is said before anybody has asked anything, in the ten languages that Qwen3-TTS speaks."""

from collections.abc import Mapping

GREETINGS: Mapping[str, str] = {
    "en": "Hello, I'm Aura. What can I do for you?",
    "de": "Hallo, ich bin Aura. Was kann ich für Sie tun?",
    "es": "Hola, soy Aura. ¿En qué puedo ayudarle?",
    "fr": "Bonjour, je suis Aura. Que puis-je faire pour vous ?",
    "it": "Buongiorno, sono Aura. Cosa posso fare per lei?",
    "ja": "こんにちは、Auraです。どうなさいましたか。",
    "ko": "안녕하세요, 저는 Aura입니다. 무엇을 도와드릴까요?",
    "pt": "Olá, eu sou a Aura. Em que posso ajudar?",
    "ru": "Здравствуйте, я Aura. Чем могу помочь?",
    "zh": "你好，我是Aura。有什么可以帮你的吗？",
}

ON_THE_PHONE_GREETINGS: Mapping[str, str] = {
    **GREETINGS,
    "en": "Hello, this is Aura. What can I do for you?",
    "de": "Hallo, hier ist Aura. Was kann ich für Sie tun?",
}

APOLOGIES: Mapping[str, str] = {
    "en": "Sorry, I was cut off. Please say that again.",
    "de": "Entschuldigung, ich war kurz weg. Bitte sagen Sie das noch einmal.",
    "es": "Perdón, se ha cortado. Dígalo otra vez, por favor.",
    "fr": "Pardon, j'ai été coupée. Répétez, s'il vous plaît.",
    "it": "Scusi, è caduta la linea. Può ripetere, per favore?",
    "ja": "すみません、途切れてしまいました。もう一度お願いします。",
    "ko": "죄송합니다, 연결이 끊겼습니다. 다시 말씀해 주세요.",
    "pt": "Desculpe, a ligação caiu. Repita, por favor.",
    "ru": "Извините, связь прервалась. Повторите, пожалуйста.",
    "zh": "抱歉，刚才断线了。请再说一遍。",
}

HOLDS: Mapping[str, str] = {
    "en": "One moment, please.",
    "de": "Einen Moment, bitte.",
    "es": "Un momento, por favor.",
    "fr": "Un instant, s'il vous plaît.",
    "it": "Un momento, per favore.",
    "ja": "少々お待ちください。",
    "ko": "잠시만 기다려 주세요.",
    "pt": "Um momento, por favor.",
    "ru": "Одну минуту, пожалуйста.",
    "zh": "请稍等。",
}

GOODBYES: Mapping[str, str] = {
    "en": "Goodbye!",
    "de": "Auf Wiederhören!",
    "es": "¡Hasta luego!",
    "fr": "Au revoir !",
    "it": "Arrivederci!",
    "ja": "失礼いたします。",
    "ko": "안녕히 계세요.",
    "pt": "Até logo!",
    "ru": "До свидания!",
    "zh": "再见！",
}

CONSENTS: Mapping[str, str] = {
    "en": "This call is being recorded.",
    "de": "Dieses Gespräch wird aufgezeichnet.",
    "es": "Esta llamada se está grabando.",
    "fr": "Cet appel est enregistré.",
    "it": "Questa chiamata viene registrata.",
    "ja": "この通話は録音されています。",
    "ko": "이 통화는 녹음됩니다.",
    "pt": "Esta chamada está a ser gravada.",
    "ru": "Этот разговор записывается.",
    "zh": "本次通话正在录音。",
}
