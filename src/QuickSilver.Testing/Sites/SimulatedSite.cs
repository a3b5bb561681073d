using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Sites;

/// <summary>One site of a simulated overlay: its gateway, which may stop and begin again as another node.</summary>
internal sealed class SimulatedSite : IGatewayHost, IEventTarget
{
    private readonly SiteWorld _world;
    private AlarmQueue _alarms = new();
    private Instant _wakeAt = Instant.Never;
    private long _lives;

    public SimulatedSite(SiteWorld world, int index, uint[] groups)
    {
        _world = world;
        Index = index;
        Groups = groups;
    }

    /// <summary>Index of the site.</summary>
    public int Index { get; }

    /// <summary>Groups with members here, ascending.</summary>
    public uint[] Groups { get; private set; }

    /// <summary>Its gateway; null while it has none.</summary>
    public Gateway? Gateway { get; private set; }

    /// <summary>Key of its gateway's node.</summary>
    public ulong Node => (ulong)_lives;

    /// <summary>Called for each record that comes here.</summary>
    public Action<StreamId, ulong, byte[]>? Delivered { get; set; }

    /// <summary>Called for records that never come.</summary>
    public Action<StreamId, SequenceRange>? Lost { get; set; }

    /// <summary>Called for records that were not for this site.</summary>
    public Action<StreamId, SequenceRange>? Passed { get; set; }

    /// <summary>Called when other links are known to be up.</summary>
    public Action<Topology>? Changed { get; set; }

    private Topology? _topology;

    /// <summary>Begins, as a new node.</summary>
    public void Start()
    {
        _lives++;
        _alarms = new AlarmQueue();
        Gateway = new Gateway(
            Index, Node, _world.Map, _world.Settings, this, _alarms,
            new SeededRandom(_world.Random.Draw(RandomStream.Node, (ulong)Index, (ulong)_lives, 0)));
        Gateway.Start(Groups, _world.Now);
        After();
    }

    /// <summary>Members of other groups are here. The site tells so, and again when its gateway begins.</summary>
    /// <param name="groups">Ascending.</param>
    public void SetGroups(uint[] groups)
    {
        Groups = groups;
        Gateway?.SetGroups(groups, _world.Now);
        After();
    }

    /// <summary>Dies, and tells nobody.</summary>
    public void Kill()
    {
        Gateway = null;
        _wakeAt = Instant.Never;
    }

    /// <summary>Sends a record; 0 when there is no gateway, or no room.</summary>
    public ulong Send(uint group, byte[] payload)
    {
        ulong number = Gateway?.Send(group, payload, _world.Now) ?? 0;
        After();
        return number;
    }

    /// <inheritdoc/>
    public void OnEvent(object? argument, long value, Instant now)
    {
        if (Gateway is null) return;
        if (argument is byte[] datagram) Gateway.OnDatagram((int)value, datagram, now);
        else if (value != _lives) return;
        else if (_wakeAt <= now) _wakeAt = Instant.Never;
        while (Gateway is not null && _alarms.FireNext(now))
        {
        }
        After();
    }

    /// <summary>The carrier of a link takes more again.</summary>
    public void OnRoom(int site)
    {
        Gateway?.OnRoom(site, _world.Now);
        After();
    }

    /// <summary>The connection that carries a link has ended.</summary>
    public void OnDisconnected(int site)
    {
        Gateway?.OnDisconnected(site, _world.Now);
        After();
    }

    bool IGatewayHost.HasRoom(int site) => _world.HasRoom(Index, site);

    void IGatewayHost.OnLinkFailed(int site) => _world.Break(Index, site);

    void IGatewayHost.Send(int site, ReadOnlySpan<byte> datagram) => _world.Send(Index, site, datagram);

    void IGatewayHost.Deliver(StreamId stream, ulong number, ReadOnlySpan<byte> payload) =>
        Delivered?.Invoke(stream, number, payload.ToArray());

    void IGatewayHost.Lose(StreamId stream, SequenceRange numbers) => Lost?.Invoke(stream, numbers);

    void IGatewayHost.Pass(StreamId stream, SequenceRange numbers) => Passed?.Invoke(stream, numbers);

    private void After()
    {
        if (Gateway is null) return;
        if (_topology != Gateway.Topology)
        {
            _topology = Gateway.Topology;
            Changed?.Invoke(_topology);
        }
        if (_alarms.NextDue >= _wakeAt) return;
        _wakeAt = _alarms.NextDue;
        _world.Events.Schedule(_wakeAt, this, null, _lives);
    }
}
