using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// One call to join groups, or to publish to them, all or nothing. The host derives from it. All members are used on
/// the core thread.
/// </summary>
/// <param name="names">Names of the groups, without duplicates, none of them joined or being joined by this node, or
/// published to, in the same way.</param>
/// <param name="mode">Mode of the groups.</param>
/// <param name="isPublisher">True to publish: to send without being a member.</param>
internal abstract class JoinRequest(IReadOnlyList<string> names, byte mode, bool isPublisher = false)
{
    /// <summary>True to publish: the sessions receive nothing.</summary>
    public bool IsPublisher { get; } = isPublisher;

    /// <summary>Names of the groups.</summary>
    public IReadOnlyList<string> Names { get; } = names;

    /// <summary>Mode of the groups.</summary>
    public byte Mode { get; } = mode;

    /// <summary>What the engine of the groups' mode is told; null: the defaults.</summary>
    public virtual ModeSettings? ModeSettings => null;

    /// <summary>The mode requested for one of the groups: that of all, unless a request says otherwise.</summary>
    public virtual byte ModeOf(string groupName) => Mode;

    /// <summary>
    /// Returns the receiver of a group's events: called once for each group, just before <see cref="OnAdmitted"/>.
    /// </summary>
    public abstract IGroupListener ListenerFor(GroupInfo group);

    /// <summary>
    /// This node's session in a group begins: called once for each group, when the step is installed and before
    /// anything is delivered.
    /// </summary>
    public abstract void OnAdmitted(LocalGroup group, Instant now);

    /// <summary>
    /// Every possible sender to every one of the groups has switched, or been removed: the join is done.
    /// </summary>
    public abstract void OnCompleted(Instant now);

    /// <summary>The join has failed. Groups admitted meanwhile are left again.</summary>
    /// <param name="reason">The server's reason.</param>
    /// <param name="groupName">The group that was refused.</param>
    /// <param name="now">The present instant.</param>
    public abstract void OnFailed(MembershipRefusal reason, string groupName, Instant now);
}
