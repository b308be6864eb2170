{{- define "headgate.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "headgate.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "headgate.labels" -}}
{{ include "headgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "headgate.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "headgate.configMap" -}}
{{ .Values.existingConfigMap | default (include "headgate.name" .) }}
{{- end }}

{{/* How many gateways share one limit: as many as there may be, so that all together never grant more while Redis is away. */}}
{{- define "headgate.instances" -}}
{{ if .Values.autoscaling.enabled }}{{ .Values.autoscaling.maxReplicas | int }}{{ else }}{{ .Values.replicas | int }}{{ end }}
{{- end }}

{{/* headgate.json: what the values say, and what only the chart knows. What the configuration says itself wins. */}}
{{- define "headgate.config" -}}
{{- $config := deepCopy .Values.config }}
{{- if not $config }}
{{- $first := (first .Values.ports).containerPort | int }}
{{- $answer := dict "status" 200 "body" "headgate works; now give the chart a configuration\n" }}
{{- $config = dict "listen" (printf ":%d" $first)
      "limits" (dict "per-ip" (dict "rate" "100/minute" "per" "client_ip"))
      "routes" (list (dict "path" "/*" "respond" $answer "limits" (list "per-ip"))) }}
{{- end }}
{{- $own := dict "drain_delay" (printf "%ds" (.Values.drainDelaySeconds | int)) "drain" (printf "%ds" (.Values.drainSeconds | int)) }}
{{- if .Values.redis.existingSecret }}
{{- $_ := set $own "redis" (dict "url" "${REDIS_URL}" "instances" (include "headgate.instances" . | int)) }}
{{- end }}
{{- if .Values.admin.existingSecret }}
{{- $admin := dict "listen" (printf ":%d" (.Values.admin.port | int)) "token" "${HEADGATE_ADMIN_TOKEN}" }}
{{- if .Values.admin.readKey }}{{ $_ := set $admin "read_token" "${HEADGATE_READ_TOKEN}" }}{{ end }}
{{- $_ := set $own "admin" $admin }}
{{- else if ne (.Values.admin.port | int) 9900 }}
{{- $_ := set $own "admin" (dict "listen" (printf "127.0.0.1:%d" (.Values.admin.port | int))) }}
{{- end }}
{{- toPrettyJson (merge $config $own) }}
{{- end }}

{{/* From within the pod, where the admin interface listens there alone. */}}
{{- define "headgate.probe" -}}
{{- if .root.Values.admin.existingSecret -}}
httpGet: { path: {{ .path }}, port: admin }
{{- else -}}
exec: { command: [headgate, healthcheck, "http://127.0.0.1:{{ .root.Values.admin.port | int }}{{ .path }}"] }
{{- end }}
{{- end }}
