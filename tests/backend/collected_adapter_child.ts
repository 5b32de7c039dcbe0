/** Opens a device, lets everything that can be collected be, and asks the device for what only its adapter knows. */
import { openGpuDevice } from "../../src/backend/mod.ts";

if (import.meta.main) {
  const device = await openGpuDevice();
  const { gc } = globalThis as unknown as { gc(): void };
  for (let i = 0; i < 5; i++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  console.log(typeof device.adapterInfo.description);
  device.destroy();
}
