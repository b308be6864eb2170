#pragma once
// A gateway that compresses, and what its clients read.

#include "blackbox/harness/gateway.hpp"
#include "support/decoded.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headgate::test {

inline const std::string kAll = "Accept-Encoding: gzip, deflate, br, zstd\r\n";

inline Json compressing(const Json& how = true) {
  return {{"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"compress", how}}})}, {"log", {{"format", "json"}}}};
}

/// Of an answer: its body as a client reads it.
inline std::string read(const Message& answer) {
  const auto out = decoded(std::string_view(answer.value("Content-Encoding")), answer.body);
  EXPECT_TRUE(out.ended) << answer.head;
  return out.bytes;
}

/// Text that is not all the same.
inline std::string page(std::size_t bytes) {
  std::string out;
  for (unsigned i = 1; out.size() < bytes; ++i)
    out += "<li>" + std::to_string(i * 2654435761U % 1000) + "</li><li>headgate</li>\n";
  out.resize(bytes);
  return out;
}

/// A request that is answered with this page.
inline std::string ask_for(const std::string& body, const std::string& fields) {
  return request_with_body("POST", "/", body, "X-Test-Echo: 1\r\n" + fields);
}

}  // namespace headgate::test
