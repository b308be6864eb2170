#pragma once
// A gateway whose configuration file the test rewrites.

#include "blackbox/harness/gateway.hpp"

#include <csignal>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace headgate::test {

inline std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

class Reloaded {
 public:
  explicit Reloaded(const Json& changes, const Words& more = {})
      : file_(as_file(changes)), gateway_(words(more), listeners(changes)) {}

  RawClient client(std::size_t listener = 0) const { return RawClient(gateway_.port(listener)); }
  Gateway& gateway() { return gateway_; }
  Process& process() { return gateway_.process(); }
  const std::string& path() const { return file_.path(); }

  void write_text(const std::string& text) const { std::ofstream(file_.path(), std::ios::trunc) << text; }
  void write(const Json& changes) const { write_text(as_file(changes)); }

  /// Writes another file, sends SIGHUP and waits until the log has `word` once more.
  bool reload(const std::string& text, const std::string& word) {
    write_text(text);
    return tells(word, [this] { process().signal(SIGHUP); });
  }
  bool reload(const Json& changes) { return reload(as_file(changes), "\"config_reloaded\""); }

  /// Does `what` and waits until the log has `word` once more.
  template <class What>
  bool tells(const std::string& word, What&& what) {
    const auto before = count_of(process().err(), word);
    what();
    return process().wait_for_err([&](const std::string& log) { return count_of(log, word) > before; });
  }

  /// The port of the address that the log named last after `words` ("listening on ").
  std::uint16_t last_port(const std::string& words) {
    const std::regex line(words + R"re([^ "\n]*:(\d+)["\n])re");
    const auto text = process().err();
    std::uint16_t port = 0;
    for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match)
      port = static_cast<std::uint16_t>(std::stoul((*match)[1].str()));
    return port;
  }

  std::string as_file(const Json& changes) const {
    Json config = config_for(upstream, changes);
    if (!config.contains("log")) config["log"] = Json::object();
    if (!config["log"].contains("format")) config["log"]["format"] = "json";
    return config.dump(2);
  }

  FakeUpstream upstream;

 private:
  static std::size_t listeners(const Json& changes) {
    return changes.contains("listen") && changes["listen"].is_array() ? changes["listen"].size() : 1;
  }
  Words words(const Words& more) const {
    Words out{"run", "-c", file_.path()};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  TemporaryFile file_;
  Gateway gateway_;
};

}  // namespace headgate::test
