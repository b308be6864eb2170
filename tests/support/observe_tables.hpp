#pragma once
// The metrics and the fields of the access log as docs/metrics.md and docs/logs.md list them.

#include "headgate/observe/access_fields.hpp"
#include "headgate/observe/metric_types.hpp"
#include "headgate/observe/metrics_family.hpp"

#include <charconv>
#include <string>
#include <string_view>

namespace headgate::test {

inline std::string in_seconds(Duration duration) {
  char text[32];
  const char* const end =
      std::to_chars(text, text + sizeof text, static_cast<double>(duration.count()) / 1e6, std::chars_format::fixed)
          .ptr;
  return {text, static_cast<std::size_t>(end - text)};
}

inline std::string_view word_of(observe::Family::Type type) {
  switch (type) {
    case observe::Family::Type::counter:
      return "counter";
    case observe::Family::Type::gauge:
      return "gauge";
    case observe::Family::Type::histogram:
      return "histogram";
  }
  return "";
}

inline std::string metrics_in_words() {
  std::string out;
  for (const auto* family : observe::families()) {
    out.append("### `").append(family->name).append("`\n\n").append(family->help).append(". A ");
    out.append(word_of(family->type));
    for (std::size_t i = 0; i < family->label_count(); ++i)
      out.append(i == 0 ? " by `" : ", `").append(family->labels[i]).append("`");
    out += '.';
    if (!family->bounds.empty()) {
      out += " Buckets, in seconds:";
      for (const auto bound : family->bounds) out += ' ' + in_seconds(bound);
      out += '.';
    }
    out.append("\n\n```promql\n").append(family->ask).append("\n```\n\n");
  }
  return out;
}

inline std::string access_fields_in_words() {
  std::string out = "| field | in `ecs` | |\n|---|---|---|\n";
  for (const auto& field : observe::kAccessFields)
    out.append("| `").append(field.name).append("` | `").append(field.ecs).append("` | ").append(field.meaning) +=
        " |\n";
  return out;
}

}  // namespace headgate::test
