using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The connections of a server, and the node of each. A connection without registration is closed after ten seconds.
/// Counts refusals by their reasons. Core thread only.
/// </summary>
internal sealed class ServerConnections
{
    // How long a connection may take until its node is registered.
    private static readonly TimeSpan HelloTimeout = TimeSpan.FromSeconds(10);
    private static readonly int Refusals = Enum.GetValues<MembershipRefusal>().Length;

    private readonly IServerLinks _links;
    private readonly Dictionary<long, ServerNode?> _nodes = [];
    private readonly Dictionary<long, HelloFrame> _reporting = [];
    private readonly Queue<(long Connection, Instant Due)> _greeting = new();
    private readonly Alarm _greetingAlarm;
    private readonly FrameBuilder _frame = new();
    private readonly ulong[] _refused = new ulong[Refusals];

    /// <summary>Makes an empty table.</summary>
    /// <param name="links">Carries frames.</param>
    /// <param name="alarms">Fires the greeting's timer.</param>
    public ServerConnections(IServerLinks links, AlarmQueue alarms)
    {
        _links = links;
        _greetingAlarm = new Alarm(alarms, CloseSilent);
    }

    /// <summary>Number of refusals for a reason.</summary>
    public ulong CountOf(MembershipRefusal reason) => _refused[(int)reason];

    /// <summary>Counts a refusal that closes no connection.</summary>
    public void Count(MembershipRefusal reason) => _refused[(int)reason]++;

    /// <summary>A connection has opened; its node is not known yet.</summary>
    public void Open(long connection, Instant now)
    {
        _nodes[connection] = null;
        _greeting.Enqueue((connection, now + HelloTimeout));
        if (!_greetingAlarm.IsSet) _greetingAlarm.Set(now + HelloTimeout);
    }

    /// <summary>Finds an open connection.</summary>
    /// <param name="connection">The host's id of the connection.</param>
    /// <param name="node">The node that it belongs to; null before registration.</param>
    public bool TryFind(long connection, out ServerNode? node) => _nodes.TryGetValue(connection, out node);

    /// <summary>The other side, or the network, has ended a connection.</summary>
    /// <returns>The node that has lost its connection; null when it belonged to none.</returns>
    public ServerNode? Forget(long connection)
    {
        _reporting.Remove(connection);
        if (!_nodes.Remove(connection, out ServerNode? node) || node is null) return null;
        node.Connection = null;
        return node;
    }

    /// <summary>Assigns a connection to a node without one.</summary>
    public void Bind(long connection, ServerNode node)
    {
        Debug.Assert(node.Connection is null && _nodes.GetValueOrDefault(connection) is null, "both are free");
        _nodes[connection] = node;
        node.Connection = connection;
    }

    /// <summary>Marks a connection whose next frame is to be the report of its node.</summary>
    public void AwaitReport(long connection, HelloFrame hello) => _reporting[connection] = hello;

    /// <summary>Takes the registration of a connection whose report is awaited.</summary>
    public bool TryTakeReporting(long connection, out HelloFrame? hello) => _reporting.Remove(connection, out hello);

    /// <summary>The proven identity of a connection's peer; empty where none is proven.</summary>
    public string IdentityOf(long connection) => _links.IdentityOf(connection);

    /// <summary>True while a peer has connected that has not registered yet.</summary>
    public bool HasStrangers => _links.HasStrangers;

    /// <summary>The same, or while a report is awaited.</summary>
    public bool AreComing => HasStrangers || _reporting.Count > 0;

    /// <summary>Sends a frame that is not numbered.</summary>
    public void Send(long connection, ReadOnlySpan<byte> frame) => _links.Send(connection, frame);

    /// <summary>True when the application lets a survivor into all groups that it reports. A survivor comes with its
    /// groups from another server, which this one cannot ask.</summary>
    public bool MayKeep(long connection, string nodeName, ReportFrame report) =>
        report.Groups.TrueForAll(group => _links.MayEnter(connection, nodeName, group.Name, isPublisher: false))
            && report.Published.TrueForAll(
                group => _links.MayEnter(connection, nodeName, group.Name, isPublisher: true));

    /// <summary>
    /// Closes a node's connection silently, if it has one: another takes its place, or the node has left.
    /// </summary>
    public void Detach(ServerNode node)
    {
        if (node.Connection is not { } connection) return;
        _nodes.Remove(connection);
        node.Connection = null;
        _links.Close(connection, MembershipRefusal.None);
    }

    /// <summary>Sends the reason to the other side, then closes the connection.</summary>
    public void Refuse(long connection, MembershipRefusal reason)
    {
        _links.Send(connection, _frame.Begin(FrameKind.Expelled).WriteByte((byte)reason).Span);
        Close(connection, reason);
    }

    /// <summary>Refuses a node that speaks no version of the cluster.</summary>
    public void Refuse(long connection, ProtocolVersions spoken)
    {
        _links.Send(connection, MembershipFrames.Refusal(spoken));
        Close(connection, MembershipRefusal.WrongVersion);
    }

    /// <summary>Closes a connection.</summary>
    public void Close(long connection, MembershipRefusal reason)
    {
        _refused[(int)reason]++;
        _nodes.Remove(connection);
        _reporting.Remove(connection);
        _links.Close(connection, reason);
    }

    /// <summary>Cancels the timer.</summary>
    public void Stop() => _greetingAlarm.Cancel();

    private void CloseSilent(Instant now)
    {
        while (_greeting.TryPeek(out (long Connection, Instant Due) first))
        {
            bool isWaiting = _nodes.TryGetValue(first.Connection, out ServerNode? node) && node is null;
            if (isWaiting && first.Due > now)
            {
                _greetingAlarm.Set(first.Due);
                return;
            }
            _greeting.Dequeue();
            if (isWaiting) Close(first.Connection, MembershipRefusal.BadFrame);
        }
    }
}
