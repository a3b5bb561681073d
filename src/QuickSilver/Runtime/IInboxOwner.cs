using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>Who hears what an inbox does with messages it has no room for. Core thread only; must not throw.</summary>
internal interface IInboxOwner
{
    /// <summary>A message was dropped: by policy, or because nobody has read yet.</summary>
    void OnDropped(NodeInfo sender, LossReason reason);

    /// <summary>The inbox was full under <see cref="OverflowPolicy.FailGroup"/> and takes nothing more; the handle is to be failed, later than in
    /// this call.</summary>
    void OnOverflow(long backlog);
}
