#pragma once
// Calls of a language model under a limit of tokens.

#include "unit/gateway/path/path.hpp"

#include <string>
#include <utility>

namespace headgate::gateway::test {

/// A route whose last limit counts the usage of calls in the shape of OpenAI.
class ModelCalls : public Path {
 protected:
  /// The cost of the last limit: at most 5,000 tokens; a hold of the output that the request allows, else of 100.
  Cost& counts_usage() {
    auto& cost = route.limits.back().cost;
    cost.from = find_cost_source("usage");
    cost.name = "openai";
    cost.default_value = 100;
    cost.most = 5'000;
    cost.hold.of_usage = true;
    return cost;
  }
  /// The next answers have this body.
  void answers(const std::string& body, Duration after = Duration(0)) {
    server.fields = {{http::Known::content_type, "Content-Type", "application/json"}};
    server.framing = {http::Framing::Kind::unknown, 0};
    server.body = {{body, after, {}}};
  }
  void reports(int input, int output) {
    answers("{\"usage\":{\"prompt_tokens\":" + std::to_string(input) +
            ",\"completion_tokens\":" + std::to_string(output) + "}}");
  }
  /// Sends a call, after the one before is over.
  void call(const std::string& body, const std::string& fields = {}) {
    if (gateway != nullptr) {
      ASSERT_TRUE(done);
      x.reset();
      client.forget();
      trace.lines.clear();
    }
    check("POST /v1/chat/completions",
          fields + "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
          {{body, Duration(0), {}}});
  }
  /// A call that allows `most` tokens, with `text` bytes of text beside its role.
  static std::string chat(int most, std::size_t text = 0) {
    std::string content;
    while (content.size() < text) content += "Some words. ";  // a long text without blanks could be a picture
    content.resize(text);
    return "{\"max_tokens\":" + std::to_string(most) + ",\"messages\":[{\"content\":\"" + content + "\"}]}";
  }
  /// The hold of the first limit for the last call.
  std::int64_t held() const { return x.admission.checks.empty() ? 0 : x.admission.checks.front().cost; }
};

}  // namespace headgate::gateway::test
