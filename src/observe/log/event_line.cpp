#include "event_line.hpp"

#include "json_object.hpp"
#include "words.hpp"

#include "headgate/core/per_enum.hpp"

#include <algorithm>
#include <cassert>

namespace headgate::observe {
namespace {

std::string_view to_text(LogLevel level) noexcept {
  static constexpr WordsUpTo<LogLevel::off> kWords({"debug", "info", "warning", "error", "error"});
  return kWords[level];
}

/// Writes three decimals, which is enough for seconds and similar values.
void append_decimal(std::string& out, double number) {
  const auto thousandths = static_cast<std::int64_t>(number * 1000 + (number < 0 ? -0.5 : 0.5));
  if (thousandths < 0) out += '-';
  append_thousandths(out, static_cast<std::uint64_t>(thousandths < 0 ? -thousandths : thousandths));
}

/// Appends a text that may come from a peer. The result is on one line and has only characters that are safe on a
/// terminal.
void append_sentence(std::string& out, std::string_view text) {
  const auto printable = [](char c) { return c >= 0x20 && c < 0x7f; };
  while (!text.empty()) {
    const auto* const end = std::find_if_not(text.begin(), text.end(), printable);
    const auto* const next = std::find_if(end, text.end(), printable);
    out.append(text.begin(), end);
    append_json_text(out, {end, next});
    text.remove_prefix(static_cast<std::size_t>(next - text.begin()));
  }
}

struct AppendText {
  std::string& out;
  void operator()(std::string_view text) const { append_value(out, text); }
  void operator()(std::int64_t number) const { out += std::to_string(number); }
  void operator()(double number) const { append_decimal(out, number); }
};

struct AppendPlain {
  std::string& out;
  void operator()(std::string_view text) const { out += text; }
  void operator()(std::int64_t number) const { out += std::to_string(number); }
  void operator()(double number) const {
    append_decimal(out, number);
    while (out.ends_with('0')) out.pop_back();
    if (out.ends_with('.')) out.pop_back();
  }
};

struct AppendJson {
  JsonObject& line;
  std::string_view name;
  void operator()(std::string_view text) const { line.text(name, text); }
  void operator()(std::int64_t number) const { line.plain(name, std::to_string(number)); }
  void operator()(double number) const {
    std::string text;
    append_decimal(text, number);
    line.plain(name, text);
  }
};

}  // namespace

std::string plain_value(const EventField& field) {
  std::string out;
  std::visit(AppendPlain{out}, field.value);
  return out;
}

void append_json_event(const Event& event, std::string_view instance, Instant at, std::string& out) {
  JsonObject line(out);
  line.time("ts", at);
  line.text("level", to_text(event.level));
  line.text("instance", instance);
  line.text("event", event.name);
  if (!event.sentence.empty()) line.text("message", event.sentence);
  for (const auto& field : event.fields) {
    assert(field.name != "ts" && field.name != "level" && field.name != "instance" && field.name != "event");
    if (!field.name.empty()) std::visit(AppendJson{line, field.name}, field.value);
  }
}

void append_ecs_event(const Event& event, std::string_view instance, Instant at, std::string& out) {
  JsonObject line(out);
  line.time("@timestamp", at);
  line.text("log.level", to_text(event.level));
  line.text("message", event.sentence.empty() ? event.name : event.sentence);
  line.text("ecs.version", "8.11.0");
  line.text("service.name", "headgate");
  line.text("service.node.name", instance);
  line.text("event.dataset", "headgate.error");
  line.text("event.action", event.name);
  for (const auto& field : event.fields) {
    if (field.name.empty()) continue;
    const auto name = "headgate." + std::string(field.name);
    std::visit(AppendJson{line, name}, field.value);
  }
}

void append_text_event(const Event& event, Instant at, std::string& out) {
  append_time(out, at);
  out += ' ';
  out += to_text(event.level);
  out += ' ';
  out += event.name;
  if (!event.sentence.empty()) {
    out += ": ";
    append_sentence(out, event.sentence);
  }
  for (const auto& field : event.fields) {
    if (field.name.empty()) continue;
    out += ' ';
    out += field.name;
    out += '=';
    std::visit(AppendText{out}, field.value);
  }
}

}  // namespace headgate::observe
