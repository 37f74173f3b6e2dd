// Uses a library of Mercury with IR and one without.
#include "Mercury/InitAll.h"
#include "Mercury/Schedule/NamedSchedules.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  mlir::DialectRegistry registry;
  mercury::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  if (mlir::Dialect *dialect = context.getOrLoadDialect("commir"))
    llvm::outs() << "dialect " << dialect->getNamespace() << "\n";
  for (const mercury::NamedSchedule &named : mercury::namedSchedules())
    llvm::outs() << "schedule " << named.name << "\n";
}
