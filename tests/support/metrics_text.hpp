#pragma once
// Parses Prometheus' text format strictly: everything that a scraper would reject is an error.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

struct MetricsText {
  std::vector<std::string> complaints;
  std::map<std::string, std::string> types;                          ///< by family
  std::map<std::string, std::string> helps;                          ///< by family
  std::map<std::string, double> samples;                             ///< by the series as it is written: `name{a="b"}`
  std::map<std::string, std::map<std::string, std::string>> labels;  ///< by the series; values are unescaped

  /// Returns the value of one series; nothing if the series does not exist.
  std::optional<double> value(const std::string& series) const {
    const auto found = samples.find(series);
    return found == samples.end() ? std::nullopt : std::optional(found->second);
  }
  /// Returns the sum of all series whose name has this prefix.
  double sum(std::string_view begin) const {
    double out = 0;
    for (const auto& [series, value] : samples) out += series.starts_with(begin) ? value : 0;
    return out;
  }
};

class MetricsReader {
 public:
  static MetricsText read(const std::string& text) {
    MetricsReader reader;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) reader.line(line);
    if (!text.empty() && text.back() != '\n') reader.complain("the last line is not ended", "");
    reader.check_histograms();
    return std::move(reader.out_);
  }

 private:
  void complain(const std::string& what, const std::string& line) { out_.complaints.push_back(what + ": " + line); }

  void line(const std::string& line) {
    if (line.empty()) return;
    if (line.starts_with("# HELP ")) return describe(line, out_.helps);
    if (line.starts_with("# TYPE ")) return describe(line, out_.types);
    if (line[0] == '#') return complain("neither HELP nor TYPE", line);
    sample(line);
  }

  void describe(const std::string& line, std::map<std::string, std::string>& into) {
    const auto end = line.find(' ', 7);
    const auto name = line.substr(7, end - 7);
    const auto text = end == std::string::npos ? "" : line.substr(end + 1);
    if (!into.emplace(name, text).second) complain("said twice", line);
    if (text.empty()) complain("says nothing", line);
    family_ = name;
  }

  void sample(const std::string& line) {
    std::size_t at = 0;
    while (at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_')) ++at;
    const auto name = line.substr(0, at);
    std::map<std::string, std::string> labels;
    if (at < line.size() && line[at] == '{' && !read_labels(line, ++at, labels)) return complain("bad labels", line);
    const auto series = line.substr(0, at);
    if (at >= line.size() || line[at] != ' ') return complain("no value", line);
    double value = 0;
    const auto* const last = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + at + 1, last, value);
    if (error != std::errc{} || stop != last) return complain("not a number", line);
    if (!out_.samples.emplace(series, value).second) complain("a series twice", line);
    out_.labels[series] = labels;
    const auto& type = out_.types[family_];
    const bool part =
        type == "histogram" && (name == family_ + "_bucket" || name == family_ + "_sum" || name == family_ + "_count");
    if (!part && (name != family_ || type == "histogram")) complain("not of the family above it", line);
    if (type == "counter" && (value < 0 || !name.ends_with("_total"))) complain("not a counter", line);
    if (name.ends_with("_bucket")) bucket(name, labels, value, line);
    if (name.ends_with("_count")) {
      labels["le"] = "+Inf";
      counts_[{name.substr(0, name.size() - 6), labels}] = value;
    }
  }

  static bool read_labels(const std::string& line, std::size_t& at, std::map<std::string, std::string>& labels) {
    while (at < line.size() && line[at] != '}') {
      const auto equals = line.find("=\"", at);
      if (equals == std::string::npos) return false;
      const auto name = line.substr(at, equals - at);
      std::string value;
      for (at = equals + 2; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] != '\\') {
          value += line[at];
          continue;
        }
        const char escaped = ++at < line.size() ? line[at] : '?';
        if (escaped != '\\' && escaped != '"' && escaped != 'n') return false;
        value += escaped == 'n' ? '\n' : escaped;
      }
      if (at >= line.size() || !labels.emplace(name, value).second) return false;
      if (++at < line.size() && line[at] == ',') ++at;
    }
    return at < line.size() && line[at++] == '}';
  }

  using Buckets = std::pair<std::string, std::map<std::string, std::string>>;

  void bucket(const std::string& name, std::map<std::string, std::string> labels, double value,
              const std::string& line) {
    if (labels.count("le") == 0) return complain("a bucket without bound", line);
    if (labels["le"] == "+Inf") ends_[{name.substr(0, name.size() - 7), labels}] = value;
    labels.erase("le");
    auto& below = rising_[{name, labels}];
    if (value < below) complain("less than in the bucket before", line);
    below = value;
  }

  void check_histograms() {
    if (ends_ != counts_) complain("counts are not what the last buckets say", "");
    for (const auto& [name, type] : out_.types) {
      if (out_.helps.count(name) == 0) complain("no HELP", name);
    }
  }

  MetricsText out_;
  std::string family_;
  std::map<Buckets, double> rising_, ends_, counts_;
};

}  // namespace headgate::test
