using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// What a group's sending half tells its node: given when the group is opened. Core thread only. The implementation may call back (signal a source):
/// such calls take effect when the outer one ends.
/// </summary>
public interface ISenderListener
{
    /// <summary>
    /// Self-delivery: this node's own messages, at the moment when they may be delivered, in order of their numbers. The bytes are valid during the
    /// call; who wants them longer retains them. The step is the one they were bound in: the stay they were sent from may be over.
    /// </summary>
    void OnOwnMessages(StepNumber step, in DeliveryBatch run, Instant now);

    /// <summary>Admission to the group has shut (false) or opened again (true). Told once per change, at the end of the call that caused it.</summary>
    void OnGateChanged(bool open, Instant now);
}
