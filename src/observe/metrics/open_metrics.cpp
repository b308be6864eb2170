// The OpenMetrics text format 1.0 (https://github.com/prometheus/OpenMetrics). Compared with Prometheus' older format,
// the text ends with a special line, descriptions name counters without "_total", bounds of buckets are always
// decimals, and there are exemplars.

#include "headgate/observe/metrics_scrape.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace headgate::observe {
namespace {

constexpr std::string_view kTotal = "_total";
constexpr std::string_view kInfo = "_info";

/// The description of a family. A gauge that is always 1 and has a version as a label is an "info".
struct Described {
  std::string_view name;
  std::string_view type;
};

Described described(const Family& family) noexcept {
  auto name = family.name;
  switch (family.type) {
    case Family::Type::counter:
      name.remove_suffix(kTotal.size());
      return {name, "counter"};
    case Family::Type::histogram:
      return {name, "histogram"};
    case Family::Type::gauge:
      break;
  }
  if (!name.ends_with(kInfo)) return {name, "gauge"};
  name.remove_suffix(kInfo.size());
  return {name, "info"};
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
}

/// Appends the shortest decimal that equals the number.
void append_number(std::string& out, double number) {
  char text[32];
  if (!std::isfinite(number)) {
    out += std::isnan(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf";
    return;
  }
  out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

void append_integer(std::string& out, std::uint64_t number) {
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

/// Appends a bound, always with a decimal point: "1.0".
void append_bound(std::string& out, Duration bound) {
  const auto before = out.size();
  char text[32];
  const auto seconds = std::chrono::duration<double>(bound).count();
  out.append(text, std::to_chars(text, text + sizeof text, seconds, std::chars_format::fixed).ptr);
  if (out.find('.', before) == std::string::npos) out += ".0";
}

class FamilyText {
 public:
  FamilyText(std::string& out, const Family& family) : out_(out), family_(family), described_(described(family)) {
    line("# TYPE ", described_.type);
    for (const std::string_view unit : {"seconds", "bytes"})
      if (described_.name.ends_with(unit)) line("# UNIT ", unit);
    out_ += "# HELP ";
    out_ += described_.name;
    out_ += ' ';
    append_escaped(out_, family.help);
    out_ += '\n';
  }

  void value(const LabelValues& labels, double value) {
    name_and_labels({}, labels);
    append_number(out_, value);
    out_ += '\n';
  }

  void bucket(const LabelValues& labels, std::size_t at, std::uint64_t cumulative, const Exemplar* exemplar) {
    out_ += family_.name;
    out_ += "_bucket{";
    for (std::size_t i = 0; i < labels.size(); ++i) label(i, labels[i]);
    out_ += "le=\"";
    if (at < family_.bounds.size())
      append_bound(out_, family_.bounds[at]);
    else
      out_ += "+Inf";
    out_ += "\"} ";
    append_integer(out_, cumulative);
    if (exemplar != nullptr) show(*exemplar);
    out_ += '\n';
  }

  void sum_and_count(const LabelValues& labels, Duration sum, std::uint64_t count) {
    name_and_labels("_sum", labels);
    append_number(out_, std::chrono::duration<double>(sum).count());
    out_ += '\n';
    name_and_labels("_count", labels);
    append_integer(out_, count);
    out_ += '\n';
  }

 private:
  void line(std::string_view what, std::string_view value) {
    out_ += what;
    out_ += described_.name;
    out_ += ' ';
    out_ += value;
    out_ += '\n';
  }

  void label(std::size_t at, std::string_view value) {
    out_ += family_.labels[at];
    out_ += "=\"";
    append_escaped(out_, value);
    out_ += "\",";
  }

  void name_and_labels(std::string_view suffix, const LabelValues& labels) {
    out_ += family_.name;
    out_ += suffix;
    if (!labels.empty()) {
      out_ += '{';
      for (std::size_t i = 0; i < labels.size(); ++i) label(i, labels[i]);
      out_.back() = '}';  // The brace replaces the last comma.
    }
    out_ += ' ';
  }

  void show(const Exemplar& exemplar) {
    out_ += " # {trace_id=\"";
    out_ += exemplar.trace_id;
    out_ += "\"} ";
    append_number(out_, std::chrono::duration<double>(exemplar.value).count());
    out_ += ' ';
    char text[32];
    const auto when = std::chrono::duration<double>(exemplar.when.time_since_epoch()).count();
    out_.append(text, std::to_chars(text, text + sizeof text, when, std::chars_format::fixed, 3).ptr);
  }

  std::string& out_;
  const Family& family_;
  Described described_;
};

}  // namespace

std::string Scrape::open_metrics() const {
  std::string out;
  for (const auto* family : families()) {
    const auto found = samples_.find(family);
    if (found == samples_.end()) continue;
    FamilyText writer(out, *family);
    for (const auto& [labels, sample] : found->second) {
      if (family->type != Family::Type::histogram) {
        writer.value(labels, sample.value);
        continue;
      }
      std::uint64_t cumulative = 0;
      for (std::size_t i = 0; i < sample.counts.size(); ++i) {
        cumulative += sample.counts[i];
        const auto exemplar = sample.exemplars.find(i);
        writer.bucket(labels, i, cumulative, exemplar == sample.exemplars.end() ? nullptr : &exemplar->second);
      }
      writer.sum_and_count(labels, sample.sum, cumulative);
    }
  }
  return out + "# EOF\n";
}

}  // namespace headgate::observe
