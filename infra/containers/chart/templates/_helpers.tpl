{{- define "aura.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "aura.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- /* Labels by which pods of a part are chosen. Takes (list . PART). */ -}}
{{- define "aura.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "aura.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "aura.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- /* What every part of ours is told. The Secret's entries become variables: nothing secret stands in a manifest. */ -}}
{{- define "aura.told" -}}
envFrom:
  - secretRef: { name: {{ required "existingSecret is needed: a Secret with LIVEKIT_API_KEY, LIVEKIT_API_SECRET and AURA_PIPELINE_KEY" .Values.existingSecret | quote }} }
{{- end -}}

{{- define "aura.env" -}}
- { name: LIVEKIT_URL, value: {{ required "livekit.url is needed" .Values.livekit.url | quote }} }
- { name: AURA_AGENT_NAME, value: {{ .Values.agentName | quote }} }
- { name: AURA_CELLS, value: "http://{{ include "aura.name" . }}-cells.{{ .Release.Namespace }}.svc:8100" }
{{- end -}}
