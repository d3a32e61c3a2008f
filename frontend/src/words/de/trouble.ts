/** Was einem Gespräch zustößt: Es beginnt nicht, endet, oder stockt eine Weile. */
import type { Words } from '../en';

export const trouble: Words['trouble'] = {
  notConnected: 'Das Gespräch kam nicht zustande',
  notConnectedAdvice:
    'Vielleicht steht etwas zwischen dir und AURA, etwa ein VPN. Versuch es ohne, oder gleich noch einmal.',
  notConnectedTechnical: (detail) =>
    `Der Server von LiveKit war nicht zu erreichen: Läuft er, und lässt die Firewall seine Ports durch? ${detail}`.trim(),
  notSent: 'Deine Nachricht wurde nicht gesendet',
  notSentAdvice: 'Sie steht noch im Feld. Sende sie noch einmal, sobald die Verbindung wieder da ist.',
  pipelineStopped: 'AURA ist ausgefallen',
  pipelineStoppedAdvice:
    'Was hört und antwortet, läuft nicht mehr, und das Gespräch auch nicht. Ruf gleich noch einmal an.',
  pipelineStoppedTechnical: 'Am Ende von .aura/logs/pipeline.log steht, warum. infra/up startet neu.',
  callAgain: 'Noch einmal anrufen',
  elsewhere: 'Das Gespräch geht anderswo weiter',
  elsewhereAdvice: 'Es wurde in einem anderen Tab oder Fenster geöffnet.',
  bringHere: 'Hierher holen',
  goodbye: 'AURA hat sich verabschiedet',
  ended: 'Der Server hat das Gespräch beendet',
  endedAdvice: 'Ruf wieder an, wann immer du willst.',
  endedTechnical: 'Der Raum wurde geschlossen, oder sein Agent entfernt. Wurde AURA beendet, startet infra/up neu.',
  restarting: 'Der Server startet neu',
  restartingAdvice: 'Warte ein paar Sekunden, und versuch es dann noch einmal.',
  lost: 'Die Verbindung ist abgebrochen',
  lostAdvice: 'Prüf dein Netz, und versuch es dann noch einmal: Das Gespräch wartet ein wenig auf dich.',
  connection: 'Verbindung verloren',
  reconnecting: 'Die Verbindung wird neu aufgebaut. Was du jetzt sagst, ist nicht zu hören.',
  stillTrying: 'Der Server antwortet nicht. Es wird weiter versucht; was du jetzt sagst, ist nicht zu hören.',
  cutOff: 'AURA wurde getrennt',
  calledBack: 'AURA wird zurückgerufen. Was du bis dahin sagst, ist nicht zu hören.',
  notBack: 'AURA ist nicht zurückgekommen.',
  waiting: 'Warten auf AURA',
  notJoined:
    'AURA ist nicht gekommen. Vielleicht läuft der Start noch: Warte ein wenig, oder beginn ein neues Gespräch.',
  cannotAnswer: 'AURA kann gerade nicht antworten',
  soundBlocked: 'Der Browser hält den Ton zurück: AURA spricht, und du hörst es nicht.',
  complaints: {
    'I could not answer that. Please try again.': 'Darauf kam keine Antwort zustande. Versuch es bitte noch einmal.',
    'That was more than I can take in at once. Please say it in fewer words.':
      'Das war zu viel auf einmal. Sag es bitte mit weniger Worten.',
    'The speech server is starting. Please wait a little: I cannot hear you until then.':
      'Der Sprachserver startet. Warte bitte ein wenig: Bis dahin bist du nicht zu hören.',
    'The speech server is starting again. Please wait a little: I cannot hear you until then.':
      'Der Sprachserver startet neu. Warte bitte ein wenig: Bis dahin bist du nicht zu hören.',
    'All places are taken just now. I keep trying to get you one.':
      'Gerade sind alle Plätze vergeben. Es wird weiter versucht.',
    "The speech server does not accept this agent's key. Please tell whoever runs it.":
      'Der Sprachserver nimmt den Schlüssel dieses Agenten nicht an. Bitte sag es denen, die ihn betreiben.',
    'The speech server has stopped, or cannot be reached. I keep trying to get it back.':
      'Der Sprachserver läuft nicht mehr oder ist nicht zu erreichen. Es wird weiter versucht.',
  },
};
