using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Stack;

/// <summary>One call that waits until everything admitted before it is stable. Core thread only.</summary>
public abstract class FlushRequest
{
    /// <summary>Everything admitted to the group before the call is held by every live member.</summary>
    public abstract void OnFlushed(Instant now);
}
