namespace QuickSilver.Runtime;

/// <summary>Converts exceptions on the core thread to the public exceptions of a node and its groups.</summary>
internal static class NodeFaults
{
    /// <summary>The exception for a fault that ends the core thread.</summary>
    public static QuickSilverException OfCore(Exception fault) => fault is OutOfMemoryException
        ? new QuickSilverException(
            ErrorCode.OutOfMemory,
            "The process had no memory that the core thread cannot do without. Lower the limits of Delivery, "
            + "Pending and Recovery.CacheBytes, or allow the process a larger heap. "
            + "Dispose of the node and start another.",
            fault)
        : new QuickSilverException(
            ErrorCode.Internal,
            $"The core thread has failed: {fault.Message} This is a defect, most likely of QuickSilver: please "
            + "report it with the inner exception. Dispose of the node and start another.",
            fault);

    /// <summary>The exception for a fault of user code, under a policy other than to continue.</summary>
    public static QuickSilverException OfUserCode(string groupName, HandlerErrorPolicy policy, Exception fault) => new(
        ErrorCode.HandlerFailed,
        $"A handler, feed or key selector of '{groupName}' threw, and its HandlerErrorPolicy is {policy}: "
        + $"{fault.Message.TrimEnd('.')}. "
        + "Mend it (the inner exception says where it threw), or choose HandlerErrorPolicy.Continue.",
        fault);
}
