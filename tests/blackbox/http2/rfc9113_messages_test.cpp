// RFC 9113, section 8: what is malformed in a request, beyond the cases of rfc9113_test.cpp.

#include "blackbox/http2/rules.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headgate::test {
namespace {

class Http2Messages : public H2Rules {};
INSTANTIATE_TEST_SUITE_P(On, Http2Messages, testing::Values("Plain", "Tls"), listener_name);

using Cases = std::vector<std::pair<std::string, H2Fields>>;

/// A request with other pseudo fields.
H2Fields request_of(const H2Fields& pseudo, const H2Fields& more = {}) {
  H2Fields out = pseudo;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

H2Fields with_field(const std::string& name, const std::string& value) { return h2_get("/", {{name, value}}); }

/// Each is an error of its stream or a 400, no server sees it, and the connection lives on.
void expect_all_refused(H2Client& client, FakeUpstream& upstream, const Cases& cases) {
  const auto before = upstream.request_count();
  std::uint32_t id = 1;
  for (const auto& [what, fields] : cases) {
    const auto answer = client.ask(id, fields);
    const bool refused = (answer.reset && *answer.reset == protocol_error) || answer.status == 400;
    EXPECT_TRUE(refused) << what << ": status " << answer.status << ", reset " << answer.reset.value_or(999);
    id += 2;
  }
  EXPECT_EQ(upstream.request_count(), before);
  EXPECT_EQ(client.ask(id, h2_get()).status, 200);
}

TEST_P(Http2Messages, HaveFieldsOfTheirCharacters) {  // section 8.2.1
  const auto one = client();
  expect_all_refused(*one, proxy->upstream,
                     {{"an empty name", with_field("", "a")},
                      {"a colon in a name", with_field("x:a", "b")},
                      {"a control character in a name", with_field("x\x01", "b")},
                      {"DEL in a name", with_field("x\x7f", "b")},
                      {"a byte above 127 in a name", with_field("x\xc3\xa4", "b")},
                      {"a blank behind a value", with_field("x-a", "b ")},
                      {"a tab before a value", with_field("x-a", "\tb")},
                      {"a single CR", with_field("x-a", "b\rc")},
                      {"a single LF", with_field("x-a", "b\nc")}});
}

TEST_P(Http2Messages, HaveEachPseudoFieldOnce) {  // sections 8.3, 8.3.1
  const auto one = client();
  expect_all_refused(
      *one, proxy->upstream,
      {{":method twice", with_field(":method", "GET")},
       {":scheme twice", with_field(":scheme", "http")},
       {":authority twice", with_field(":authority", "a.example")},
       {"no host at all", request_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}})},
       {"an empty :authority",
        request_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", ""}})},
       {"an empty :method",
        request_of({{":method", ""}, {":scheme", "http"}, {":path", "/"}, {":authority", "a.example"}})},
       {"an empty :scheme",
        request_of({{":method", "GET"}, {":scheme", ""}, {":path", "/"}, {":authority", "a.example"}})},
       {"a :path without a slash",
        request_of({{":method", "GET"}, {":scheme", "http"}, {":path", "a"}, {":authority", "a.example"}})},
       {"a :path that is a whole URL",
        request_of(
            {{":method", "GET"}, {":scheme", "http"}, {":path", "http://a.example/"}, {":authority", "a.example"}})},
       {"* beside OPTIONS",
        request_of({{":method", "GET"}, {":scheme", "http"}, {":path", "*"}, {":authority", "a.example"}})},
       {"Host twice", request_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}},
                                 {{"host", "a.example"}, {"host", "a.example"}})}});
  const auto only_host = request_of({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}}, {{"host", "a.example"}});
  EXPECT_EQ(client()->ask(1, only_host).status, 200) << "Host may stand for :authority";
}

TEST_P(Http2Messages, HaveLengthsThatAreNumbers) {  // section 8.1.1
  const auto one = client();
  Cases cases;
  for (const auto* const length : {"", "a", "+1", "-1", "0x1", "1,1", "1 1", "99999999999999999999"})
    cases.emplace_back(std::string("a length of '") + length + "'", with_field("content-length", length));
  expect_all_refused(*one, proxy->upstream, cases);
}

TEST_P(Http2Messages, EndWithFieldsAlone) {  // section 8.1
  const auto one = client();
  std::uint32_t id = 1;
  for (const auto& [what, trailers] : Cases{{"a pseudo field", {{":path", "/"}}},
                                            {"Connection", {{"connection", "close"}}},
                                            {"Transfer-Encoding", {{"transfer-encoding", "chunked"}}},
                                            {"capital letters", {{"X-A", "b"}}}}) {
    one->send(h2_request(id, h2_get("/", {{"x-test-echo", "1"}}, "POST"), false) + h2_frame(h2_data, 0, id, "abc"));
    one->send(h2_request(id, trailers));
    const auto answer = one->answer(id);
    EXPECT_TRUE(answer.reset && *answer.reset == protocol_error) << what << ": status " << answer.status;
    id += 2;
  }
  expect_alive(*one, "trailers");
}

TEST_P(Http2Messages, AreNoTunnels) {  // section 8.5
  const auto one = client();
  const H2Fields connect = {{":method", "CONNECT"}};
  expect_all_refused(*one, proxy->upstream,
                     {{"CONNECT with a path", request_of(connect, {{":path", "/"}, {":authority", "a:1"}})},
                      {"CONNECT with a scheme", request_of(connect, {{":scheme", "http"}, {":authority", "a:1"}})},
                      {"CONNECT to nobody", connect}});
}

}  // namespace
}  // namespace headgate::test
