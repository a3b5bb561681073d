using System.Net;
using System.Net.Sockets;
using QuickSilver.Security;
using QuickSilver.WideArea.Diagnostics;

namespace QuickSilver.WideArea.Links;

/// <summary>All that carries the links by TCP of a gateway: its certificate, who calls, who is called, and the
/// connections. Any thread.</summary>
internal sealed class GatewayStreams : IAsyncDisposable
{
    private readonly StreamCarrier _carrier;
    private readonly ConnectionRefusals _refusals;
    private readonly StreamListener _listener;
    private readonly StreamDialer _dialer;
    private readonly CancellationTokenSource _stop = new();
    private Task _dialing = Task.CompletedTask;

    /// <summary>Begins to take connections.</summary>
    /// <param name="plan">Who neighbours are.</param>
    /// <param name="listening">A socket that listens; owned from now on.</param>
    /// <param name="certificates">The certificate of this gateway, and its authorities.</param>
    /// <param name="addresses">Where neighbours are.</param>
    /// <param name="isUp">Whether the link to a site is up.</param>
    /// <param name="log">The log.</param>
    public GatewayStreams(
        GatewayPlan plan, Socket listening, CertificateSource certificates, AddressBook addresses,
        Func<string, bool> isUp, GatewayLog log)
    {
        string site = plan.Map.NameOf(plan.Site);
        _refusals = new ConnectionRefusals(site, log);
        _carrier = new StreamCarrier(site, Inbox, _refusals, log);
        _dialer = new StreamDialer(plan, _carrier, addresses, certificates, isUp, log);
        _listener = new StreamListener(listening, _carrier, certificates, plan.Streams, _refusals);
    }

    /// <summary>What the connections tell.</summary>
    public StreamInbox Inbox { get; } = new();

    /// <summary>Connections of others that were refused.</summary>
    public long Refused => _refusals.Count;

    /// <summary>Frames that found no place in a connection.</summary>
    public long Dropped => _carrier.Dropped;

    /// <summary>Reads the certificate of options.</summary>
    /// <param name="options">Valid options.</param>
    /// <param name="onFault">Receives the fault of files that cannot be read again later.</param>
    /// <exception cref="ArgumentException">It cannot be used; the message has the path of the option.</exception>
    public static CertificateSource ReadCertificates(SiteGatewayOptions options, Action<string> onFault)
    {
        CertificateSource? source = CertificateSource.TryOpen(
            options.Security, fault => onFault(OptionOf(fault)), out string? fault);
        return source ?? throw new ArgumentException($"{OptionOf(fault!)}.", nameof(options));

        // Of a node they are options of Security.
        static string OptionOf(string fault) => fault.Replace("Security.", "", StringComparison.Ordinal);
    }

    /// <summary>Opens the sockets of a gateway, of one port number.</summary>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.InterfaceUnavailable"/> or
    /// <see cref="ErrorCode.PortsExhausted"/>.</exception>
    public static (GatewaySocket Datagrams, Socket Listening) Open(IPEndPoint listen)
    {
        const int MostTries = 16;
        for (int tries = 1; ; tries++)
        {
            Socket listening = StreamListener.Listen(listen);
            try
            {
                return (new GatewaySocket((IPEndPoint)listening.LocalEndPoint!), listening);
            }
            catch (QuickSilverException taken)
            {
                listening.Dispose();
                // A free port of the one may be taken of the other.
                if (listen.Port != 0 || taken.Code != ErrorCode.PortsExhausted || tries == MostTries) throw;
            }
        }
    }

    /// <summary>Begins to call.</summary>
    public void Start() => _dialing = Task.Run(() => _dialer.RunAsync(_stop.Token), CancellationToken.None);

    /// <summary>A loop begins to take what connections tell, or ends: all connections then end.</summary>
    /// <param name="wake">Wakes the loop, on any thread; null: none runs.</param>
    public void SetLoop(Action? wake) => _carrier.SetLoop(wake);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _dialing.ConfigureAwait(false);
        await _listener.DisposeAsync().ConfigureAwait(false);
        await _carrier.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }
}
