using System.Diagnostics;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The registered nodes, the removed nodes that are still in their regions, and the sending of frames to them. Frames
/// to several nodes are sent in the order of their numbers. Core thread only.
/// </summary>
/// <param name="links">Carries frames on connections.</param>
/// <param name="drawSecret">Draws a value that no other node can guess.</param>
/// <param name="spoken">The versions of the protocol that the server speaks.</param>
internal sealed class NodeTable(IServerLinks links, Func<UInt128> drawSecret, ProtocolVersions spoken)
{
    /// <summary>Limit on the nodes registered at a time.</summary>
    public const int MaxNodes = 1 << 16;

    private readonly List<ServerNode> _live = [];
    private readonly List<ServerNode> _removed = [];
    private readonly List<ServerNode?> _bySlot = [];
    private readonly SortedSet<int> _freeSlots = [];
    private readonly Dictionary<ulong, ServerNode> _byKey = [];
    private readonly Dictionary<NetEndpoint, ServerNode> _byControl = [];
    private readonly Dictionary<string, List<ServerNode>> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<NetEndpoint, ServerNode> _byData = [];
    private readonly Dictionary<string, int> _byIdentity = new(StringComparer.Ordinal);
    private readonly CommonVersions _versions = new(spoken);
    private uint _lastCounter;

    /// <summary>The versions that the server speaks.</summary>
    public ProtocolVersions Spoken => _versions.Spoken;

    /// <summary>The newest version that a registered node speaks; the server's while there is none.</summary>
    public byte Newest => _versions.Newest;

    /// <summary>The versions that the server and all registered nodes speak.</summary>
    public ProtocolVersions Versions => _versions.Common;

    /// <summary>Registered nodes, by number.</summary>
    public IReadOnlyList<ServerNode> Live => _live;

    /// <summary>Removed nodes that are still in their regions, or still count as publishers.</summary>
    public IReadOnlyList<ServerNode> Removed => _removed;

    /// <summary>Registered nodes that cannot use multicast.</summary>
    public int UnicastOnly { get; private set; }

    /// <summary>The ciphers of the registered nodes.</summary>
    public CommonCiphers Ciphers { get; } = new();

    /// <summary>True when no further node may register.</summary>
    public bool IsFull => _live.Count >= MaxNodes;

    /// <summary>Registers a node under the next number.</summary>
    public ServerNode Add(HelloFrame hello, string identity, Epoch epoch, ulong lastStep)
    {
        var number = new NodeNumber(epoch, ++_lastCounter);
        while (_byKey.ContainsKey(number.Key)) number = new NodeNumber(epoch, ++_lastCounter);
        return Add(hello, identity, number, lastStep, false);
    }

    /// <summary>Registers a node under the number of a former server.</summary>
    public ServerNode Inherit(HelloFrame hello, string identity, ulong lastStep) =>
        Add(hello, identity, hello.Number, lastStep, true);

    private ServerNode Add(HelloFrame hello, string identity, NodeNumber number, ulong lastStep, bool isInherited)
    {
        Debug.Assert(!number.IsNone && !_byKey.ContainsKey(number.Key), "a number belongs to one node");
        Debug.Assert(!IsFull, "there is room");
        int slot = _freeSlots.Count > 0 ? _freeSlots.Min : _bySlot.Count;
        if (!_freeSlots.Remove(slot)) _bySlot.Add(null);
        var info = new NodeInfo(
            number, hello.NodeName, hello.Incarnation, hello.Control, hello.Data, hello.ReceiveBufferBytes)
        {
            LongestDatagram = hello.LongestDatagram,
            Identity = identity,
        };
        var node = new ServerNode(info, slot)
        {
            Multicast = hello.Multicast,
            Versions = hello.Versions,
            Ciphers = hello.Ciphers,
            TakesMonitored = hello.TakesMonitored,
            BaseStep = lastStep,
            Installed = lastStep,
            IsInherited = isInherited,
            Secret = drawSecret(),
            BroughtSecret = hello.Secret,
        };
        if (!node.Multicast) UnicastOnly++;
        _versions.Add(node.Versions);
        Ciphers.Add(node.Ciphers);
        _bySlot[slot] = node;
        int place = _live.Count;
        while (place > 0 && _live[place - 1].Info.Number > number) place--;
        _live.Insert(place, node);
        _byKey.Add(node.Key, node);
        _byControl[hello.Control] = node;
        if (!_byName.TryGetValue(info.Name, out List<ServerNode>? named)) _byName.Add(info.Name, named = []);
        named.Add(node);
        _byData[hello.Data] = node;
        _byIdentity[identity] = CountOf(identity) + 1;
        return node;
    }

    /// <summary>Removes a node. Its slot stays taken until <see cref="Release"/>, if it has groups.</summary>
    public void Remove(ServerNode node)
    {
        Debug.Assert(!node.Info.IsRemoved && Find(node.Key) == node, "a node is removed once");
        node.Info.IsRemoved = true;
        if (!node.Multicast) UnicastOnly--;
        _versions.Remove(node.Versions);
        Ciphers.Remove(node.Ciphers);
        _live.Remove(node);
        _byKey.Remove(node.Key);
        if (_byControl.GetValueOrDefault(node.Info.Control) == node) _byControl.Remove(node.Info.Control);
        if (_byName.TryGetValue(node.Info.Name, out List<ServerNode>? named) && named.Remove(node) && named.Count == 0)
            _byName.Remove(node.Info.Name);
        if (_byData.GetValueOrDefault(node.Info.Data) == node) _byData.Remove(node.Info.Data);
        int others = CountOf(node.Identity) - 1;
        if (others > 0) _byIdentity[node.Identity] = others;
        else _byIdentity.Remove(node.Identity);
        if (node.HasGroups) _removed.Add(node);
        else FreeSlot(node);
    }

    /// <summary>Frees the slots of removed nodes, once a step has taken them out of their regions.</summary>
    public void Release()
    {
        foreach (ServerNode node in _removed) FreeSlot(node);
        _removed.Clear();
    }

    /// <summary>A registered node by the key of its number.</summary>
    public ServerNode? Find(ulong key) => _byKey.GetValueOrDefault(key);

    /// <summary>A registered node by its control endpoint.</summary>
    public ServerNode? Find(NetEndpoint control) => _byControl.GetValueOrDefault(control);

    /// <summary>True when a registered node is in a slot.</summary>
    public bool IsLive(int slot) => slot < _bySlot.Count && _bySlot[slot] is { Info.IsRemoved: false };

    /// <summary>The registered nodes of a name, in the order of registration.</summary>
    public IReadOnlyList<ServerNode> Named(string name) => _byName.GetValueOrDefault(name) ?? [];

    /// <summary>Number of registered nodes with an identity.</summary>
    public int CountOf(string identity) => _byIdentity.GetValueOrDefault(identity);

    /// <summary>A registered node by either of its endpoints.</summary>
    public ServerNode? FindByAny(NetEndpoint endpoint) =>
        _byControl.GetValueOrDefault(endpoint) ?? _byData.GetValueOrDefault(endpoint);

    /// <summary>The node in a slot that is taken.</summary>
    public ServerNode At(int slot) => _bySlot[slot]!;

    /// <summary>
    /// Sends a numbered frame: at once if the node is connected, and again if it returns without having received it.
    /// The array is kept and must not change.
    /// </summary>
    public void Send(ServerNode node, byte[] frame)
    {
        Debug.Assert(!node.Info.IsRemoved, "removed nodes are told nothing");
        node.Log.Append(frame);
        if (node.Connection is { } connection) links.Send(connection, frame);
    }

    private void FreeSlot(ServerNode node)
    {
        Debug.Assert(node.Info.IsRemoved && _bySlot[node.Slot] == node, "only a removed node gives its slot back");
        // Only now may another node take this slot in the sets of known nodes.
        foreach (ServerNode other in _live) other.Known.Remove(node.Slot);
        _bySlot[node.Slot] = null;
        _freeSlots.Add(node.Slot);
    }
}
