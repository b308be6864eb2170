#pragma once
// A request and an answer whose fields are forwarded.

#include "../../../../src/gateway/forward/forward.hpp"
#include "support/virtual_clock.hpp"
#include "unit/gateway/path/client.hpp"

#include "headgate/gateway/answer.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace headgate::gateway::test {

using http::Known;

struct Forward : testing::Test {
  Forward() {
    x.clock = &clock;
    x.request.method = "GET";
    x.request.authority = "a.example";
    x.request.fields = {{Known::host, "Host", "a.example"}};
    x.peer = boost::asio::ip::make_address("192.0.2.1");
    x.peer_text = "192.0.2.1";
    x.request_id = "id-1";
    x.answer.status = 200;
  }
  void check(std::string_view name, std::string_view value) { x.request.fields.push_back(field(name, value)); }
  void answer(std::string_view name, std::string_view value) { x.answer.fields.push_back(field(name, value)); }
  static http::Field field(std::string_view name, std::string_view value) {
    return {boost::beast::http::string_to_field({name.data(), name.size()}), name, value};
  }
  /// All values of a field in x.fields, each in brackets.
  std::string sent(std::string_view name) const {
    std::string out;
    for (const auto& one : x.fields) {
      if (http::same_word(one.name, name)) out += "[" + std::string(one.value) + "]";
    }
    return out;
  }
  /// With these options; valid until the next call.
  const CompiledConfig& compiled(const identity::IdentityOptions& identity = {}) {
    return compiled_.emplace(options, identity, std::vector<limit::Limit>{}, std::vector<UpstreamOptions>{}, 1);
  }
  void forward_request(const identity::IdentityOptions& identity = {}) {
    forward_request_fields(x, compiled(identity));
  }

  /// Completes the fields of x.answer for the client; nothing is sent.
  void forward_reply(RejectionHeaders limits) {
    const auto snapshot = boost::make_local_shared<Snapshot>();
    snapshot->compiled = std::shared_ptr<const CompiledConfig>(std::shared_ptr<void>(), &compiled());
    x.snapshot = snapshot;
    x.reply = &client;
    take_over_fields(x, limits);
    AnswerStart answer{.start = {.status = x.answer.status}, .limits = limits};
    const auto last = http::EndStream::yes;
    if (x.answer.status == 101)
      (void)send_answer<AnswerFrom::tunnel>(x, answer, {}, last);
    else if (x.answer.status < 200)
      (void)send_answer<AnswerFrom::interim>(x, answer, {}, last);
    else
      (void)send_answer<AnswerFrom::server>(x, answer, {}, last);
  }

  headgate::test::VirtualClock clock;
  PathOptions options;
  Trace trace;
  Client client{trace};
  Exchange x;

 private:
  std::optional<CompiledConfig> compiled_;
};

}  // namespace headgate::gateway::test
