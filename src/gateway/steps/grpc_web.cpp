#include "gateway/grpc/grpc_web.hpp"

#include "steps.hpp"

#include <memory>

namespace headgate::gateway {

MaybeProblem translate_grpc_web(Path& /*path*/, Exchange& x) {
  if (is_grpc_web(x.request)) x.grpc_web = std::make_shared<GrpcWeb>(x);
  return {};
}

}  // namespace headgate::gateway
