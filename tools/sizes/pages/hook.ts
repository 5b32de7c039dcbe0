// A package of hooks for engines that its users load.
export { hook, isHook, overload, stages } from "@hooke/hooke/hooks";
