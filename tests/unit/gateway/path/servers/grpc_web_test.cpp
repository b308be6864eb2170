// In which form a call of gRPC-Web is answered.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

TEST_F(Path, GrpcWebIsAnsweredAsTextWhereAcceptNamesIt) {
  route.grpc_web = true;
  server.fields = {{http::Known::content_type, "Content-Type", "application/grpc+proto"}};
  const auto answer_of = [this](const std::string& accept) {
    if (gateway) x.reset(), client.forget();
    check("POST /a", "Content-Type: application/grpc-web+proto\r\nContent-Length: 0\r\n" + accept);
    return client.fields["Content-Type"] + ' ' + client.body;
  };
  const std::string bytes = "application/grpc-web+proto ok";
  const std::string text = "application/grpc-web-text+proto b2s=";
  EXPECT_EQ(answer_of(""), bytes);
  EXPECT_EQ(answer_of("Accept: */*, application/*\r\n"), bytes);
  EXPECT_EQ(answer_of("Accept: application/grpc-web-text\r\n"), text);
  EXPECT_EQ(answer_of("Accept: a/b;q=0.5,Application/gRPC-Web-Text+proto ; q=0.1\r\n"), text);
  EXPECT_EQ(answer_of("Accept: a/b\r\nAccept: application/grpc-web-text\r\n"), text);
  EXPECT_EQ(answer_of("Accept: application/grpc-web-text;q=0, application/grpc-web+proto\r\n"), bytes);
  EXPECT_EQ(answer_of("Accept: application/grpc-web-texture\r\n"), bytes);
}

}  // namespace
}  // namespace headgate::gateway::test
