using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// Receives the events of a group's sending half; given when the group is opened. Core thread only. The implementation
/// may call back (signal a source): calls made inside take effect when the outer one ends.
/// </summary>
internal interface ISenderListener
{
    /// <summary>
    /// Delivers this node's own messages, at the moment when they may be delivered, in order of their numbers. The
    /// bytes are valid during the call; retain them to keep them longer. The step is the one they were bound in: the
    /// session they were sent from may be over.
    /// </summary>
    void OnOwnMessages(StepNumber step, in DeliveryBatch batch, Instant now);

    /// <summary>
    /// Told that own messages follow soon: memory may be loaded that their delivery will use
    /// (<see cref="CacheLines"/>). Must not change anything.
    /// </summary>
    void PrepareForOwn()
    {
    }

    /// <summary>
    /// Admission to the group has shut (false) or opened again (true). Called once per change, at the end of the call
    /// that caused it.
    /// </summary>
    void OnGateChanged(bool open, Instant now);
}
