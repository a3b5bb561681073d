using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// One call to leave groups, or to cease to publish to them, made when their sources have no more messages. Core thread
/// only.
/// </summary>
/// <param name="groups">The sessions: all of members, or all of publishers.</param>
internal abstract class LeaveRequest(IReadOnlyList<LocalGroup> groups)
{
    /// <summary>The groups.</summary>
    public IReadOnlyList<LocalGroup> Groups { get; } = groups;

    /// <summary>The step without this node in the groups is installed: nothing more is delivered from them.</summary>
    public abstract void OnCompleted(Instant now);
}
