#include "servers.hpp"

#include "single.hpp"

namespace headgate::redis {

std::shared_ptr<Servers> Servers::make(boost::asio::io_context& loop, const Options& options) {
  return std::make_shared<Single>(loop, options);
}

}  // namespace headgate::redis
