# shellcheck shell=bash
# How long each part of a run took; ./dev test and .ci/run source this. `part NAME` begins a part and ends the one before it;
# the table is printed when the script ends, also where a part failed, and after it `last_line`, if it says something.
parts=()
part_name=''
last_line=''

# Milliseconds of the wall clock, and of CPU that this script and all it waited for have used.
now_and_cpu() {
  local stat ticks
  read -r -a stat <"/proc/$$/stat"
  ticks=$((stat[13] + stat[14] + stat[15] + stat[16]))
  now=$((${EPOCHREALTIME/[.,]/} / 1000))
  cpu=$((ticks * 1000 / $(getconf CLK_TCK)))
}

end_part() {
  [ -n "$part_name" ] || return 0
  local now cpu
  now_and_cpu
  parts+=("$(printf '%7d s %7d s  %s' $(((now - part_now) / 1000)) $(((cpu - part_cpu) / 1000)) "$part_name")")
  part_name=''
}

part() { # NAME
  end_part
  local now cpu
  now_and_cpu
  part_now=$now part_cpu=$cpu part_name=$1
}

print_parts() {
  local result=$?
  [ $result = 0 ] || part_name=${part_name:+$part_name (failed)}
  end_part
  printf '\n   passed       CPU  part\n' >&2
  printf '%s\n' "${parts[@]}" >&2
  [ -z "$last_line" ] || printf '\n%s\n' "$last_line" >&2
  return $result
}
trap print_parts EXIT
