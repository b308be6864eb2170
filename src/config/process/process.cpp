// What concerns the whole process.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

namespace headgate::config {

void build_process(Build& build) {
  const Node* root = &build.root;
  Config& config = build.config;
  read(root, "instance", config.instance);
  bool via = true;
  read(root, "via", via);
  config.gateway.via = via ? config.instance : std::string();
  config.log.instance = config.instance;
  read_number(root, "workers", config.workers);
  read(root, "drain_delay", config.drain_delay);
  read(root, "drain", config.drain);
  read(root, "upgrade_drain", config.upgrade_drain);
  read_number(find(root, "memory"), "max_keys", config.memory.max_keys);
  const Node* rejection = find(root, "rejection");
  read_choice(rejection, "headers", kRejectionHeaders, config.gateway.rejection.headers);
  read_choice(rejection, "body", kRejectionBodies, config.gateway.rejection.body);
  read_choice(root, "error_pages", kErrorPages, config.gateway.error_pages);
  read(root, "usage", config.gateway.usage);
}

}  // namespace headgate::config
