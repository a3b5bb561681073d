using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>A node's end of the membership protocol. Core thread only.</summary>
public sealed class MembershipAgent
{
    /// <summary>Makes an agent that waits for a connection.</summary>
    public MembershipAgent(AgentSettings settings, IMembershipLink link, IMembershipEvents events, AlarmQueue alarms)
    {
        _ = settings;
        _ = link;
        _ = events;
        _ = alarms;
    }

    /// <summary>The cluster as installed here.</summary>
    public ClusterView Cluster => throw new NotSupportedException();

    /// <summary>The channel is open: registers, or registers again under the number it has.</summary>
    public void OnConnected(Instant now) => throw new NotSupportedException();

    /// <summary>A frame from the server, without its length.</summary>
    public void OnFrame(ReadOnlySpan<byte> frame, Instant now) => throw new NotSupportedException();

    /// <summary>The channel is closed.</summary>
    public void OnDisconnected(Instant now) => throw new NotSupportedException();

    /// <summary>Asks to be let into groups; requests of one turn travel together, and one made while there is no connection travels when there is.</summary>
    public void RequestJoin(IReadOnlyList<string> names, byte mode, Instant now) => throw new NotSupportedException();

    /// <summary>Asks to be taken out of groups.</summary>
    public void RequestLeave(IReadOnlyList<GroupId> groups, Instant now) => throw new NotSupportedException();

    /// <summary>All senders of this node have switched to the step.</summary>
    public void ReportSwitched(StepNumber step, Instant now) => throw new NotSupportedException();

    /// <summary>This node's last message bound in a view that it may no longer send in is numbered and stable.</summary>
    public void ReportDone(ViewNumber view, Instant now) => throw new NotSupportedException();

    /// <summary>Tells the server that this node goes of its own will; nothing more comes from this agent.</summary>
    public void SayGoodbye(Instant now) => throw new NotSupportedException();
}
