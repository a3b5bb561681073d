using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Security;
using QuickSilver.Transport;

namespace QuickSilver.Membership.Discovery;

/// <summary>
/// Announces the server of this process by multicast, and listens for those of others. One announcement a second, and
/// a few at shorter pauses when there is something new to say. Nothing is answered. At most
/// <see cref="MostReads"/> datagrams are read in a tenth of a second; the kernel drops what is beyond its buffer.
/// Sockets that fail are opened again each second. Any thread.
/// </summary>
internal sealed class MulticastAnnouncements : IAsyncDisposable
{
    /// <summary>The most datagrams that are read in a <see cref="ReadTurn"/>.</summary>
    public const int MostReads = 64;

    private const int JoinEvery = 4;
    private static readonly TimeSpan ReadTurn = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan[] Burst =
        [TimeSpan.FromMilliseconds(100), TimeSpan.FromMilliseconds(200), TimeSpan.FromMilliseconds(400)];

    private readonly AnnouncementSettings _settings;
    private readonly IDiscoveryEvents _events;
    private readonly ulong _sender = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
    private readonly long _begun = Stopwatch.GetTimestamp();
    private readonly FrameBuilder _frame = new();
    private readonly ReportPace _pace = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _news = new(0, 1);
    private readonly byte[] _cluster;
    private volatile Func<OwnAnnouncement?> _own = static () => null;
    private volatile IPAddress _address;
    private volatile string _fault = "";
    private Task _running = Task.CompletedTask;
    private ulong _number;

    /// <summary>Creates what is silent before <see cref="Start"/>.</summary>
    /// <param name="settings">The settings.</param>
    /// <param name="address">The address of this machine to speak from and to listen at.</param>
    /// <param name="events">Receives trouble.</param>
    public MulticastAnnouncements(AnnouncementSettings settings, IPAddress address, IDiscoveryEvents events)
    {
        _settings = settings;
        _address = address;
        _events = events;
        _cluster = System.Text.Encoding.UTF8.GetBytes(settings.Cluster);
        Table = new AnnouncementTable(settings.Cluster, settings.Keys, _sender);
    }

    /// <summary>What was heard.</summary>
    public AnnouncementTable Table { get; }

    /// <summary>The time that <see cref="AnnouncementTable.Read"/> is asked with.</summary>
    public TimeSpan Now => Stopwatch.GetElapsedTime(_begun);

    /// <summary>Why nothing is sent or received now; empty if all is well.</summary>
    public string Fault => _fault;

    /// <summary>Names this way, with its addresses.</summary>
    public string Describe()
    {
        IPAddress group = _address.AddressFamily == AddressFamily.InterNetworkV6
            ? _settings.GroupIPv6
            : _settings.Group;
        return $"multicast announcements to {new IPEndPoint(group, _settings.Port)} at {_address}";
    }

    /// <summary>Starts to listen, and to announce. Call once.</summary>
    public void Start()
    {
        using (ExecutionContext.SuppressFlow()) _running = Task.Run(RunAsync);
    }

    /// <summary>Announces what a function says from now on. It is called for each announcement.</summary>
    public void Announce(Func<OwnAnnouncement?> own)
    {
        _own = own;
        Wake();
    }

    /// <summary>There may be something new to announce.</summary>
    public void Wake()
    {
        try
        {
            _news.Release();
        }
        catch (Exception vain) when (vain is SemaphoreFullException or ObjectDisposedException)
        {
            // It is about to look, or has ended.
        }
    }

    /// <summary>Speaks from another address of the machine from now on, and listens there.</summary>
    public void MoveTo(IPAddress address)
    {
        _address = address;
        Wake();
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
        _stop.Dispose();
        _news.Dispose();
    }

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            IPAddress address = _address;
            try
            {
                using var sockets = new AnnouncementSockets(_settings, address);
                using var end = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
                Task listening = ListenAsync(sockets, end.Token);
                try
                {
                    await SpeakAsync(sockets, listening, address).ConfigureAwait(false);
                }
                finally
                {
                    await end.CancelAsync().ConfigureAwait(false);
                    await listening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                }
                await listening.ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                // It ends, or goes on at another address.
            }
            catch (Exception failure) when (failure is SocketException or TransportException)
            {
                if (_stop.IsCancellationRequested) return;
                if (failure.Message != _fault) _events.OnDiscoveryFailed(Describe(), failure.Message);
                _fault = failure.Message;
                await WaitAsync(Pause).ConfigureAwait(false);
            }
        }
    }

    // Returns when the sockets are of no more use.
    private async Task SpeakAsync(AnnouncementSockets sockets, Task listening, IPAddress address)
    {
        (AnnouncementKind, IPEndPoint)? before = null;
        int burst = Burst.Length;
        for (int turn = 1; !_stop.IsCancellationRequested && !listening.IsCompleted; turn++)
        {
            if (!_address.Equals(address)) return;
            OwnAnnouncement? own = _own();
            if (own is { } said)
            {
                if (before != (said.Kind, said.EndPoint)) burst = 0;
                before = (said.Kind, said.EndPoint);
                sockets.Send(Write(said));
            }
            else
            {
                before = null;
            }
            _fault = "";
            if (turn % JoinEvery == 0) sockets.JoinAgain();
            TimeSpan pause = burst < Burst.Length ? Burst[burst++] : Pause * (0.8 + (0.4 * Random.Shared.NextDouble()));
            await WaitAsync(pause).ConfigureAwait(false);
        }
    }

    private ReadOnlySpan<byte> Write(in OwnAnnouncement said)
    {
        SecurityKey? key = _settings.Keys?.Current[0];
        new Announcement
        {
            Kind = said.Kind,
            Sender = _sender,
            Number = ++_number,
            EndPoint = new(AddressForms.ToNet(said.EndPoint.Address), (ushort)said.EndPoint.Port),
            Term = said.Term,
            Members = said.Members,
            Cluster = _cluster,
            Key = key?.Id ?? 0,
        }.WriteTo(_frame);
        if (key is not null)
        {
            Span<byte> proof = stackalloc byte[Announcement.ProofBytes];
            key.ProveAnnouncement(_frame.Span, proof);
            _frame.WriteBytes(proof);
        }
        return _frame.Span;
    }

    private async Task ListenAsync(AnnouncementSockets sockets, CancellationToken stop)
    {
        byte[] buffer = AnnouncementSockets.NewBuffer();
        int reads = 0;
        TimeSpan turn = Now;
        while (true)
        {
            (int length, IPAddress source) = await sockets.ReceiveAsync(buffer, stop).ConfigureAwait(false);
            TimeSpan now = Now;
            AnnouncementFault fault = Table.Take(buffer.AsSpan(0, length), source, now);
            if (IsToBeReported(fault) && _pace.Allows(source, fault, Environment.TickCount64))
                _events.OnAnnouncementRefused(source, fault, Table.CountOf(fault));
            if (now - turn >= ReadTurn)
            {
                turn = now;
                reads = 0;
            }
            if (++reads < MostReads) continue;
            await Task.Delay(ReadTurn, stop).ConfigureAwait(false);
        }
    }

    // What others do on the same port is none of this node's business.
    private static bool IsToBeReported(AnnouncementFault fault) =>
        fault is AnnouncementFault.OtherKey or AnnouncementFault.WrongProof or AnnouncementFault.OtherAddress
            or AnnouncementFault.NoRoom;

    private async Task WaitAsync(TimeSpan pause)
    {
        try
        {
            await _news.WaitAsync(pause, _stop.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // It ends.
        }
    }
}
