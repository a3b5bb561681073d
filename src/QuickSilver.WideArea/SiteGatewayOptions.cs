using System.Diagnostics.Metrics;
using System.Net;
using Microsoft.Extensions.Logging;

namespace QuickSilver.WideArea;

/// <summary>
/// How a <see cref="SiteGateway"/> reaches other sites, and which groups span them. Read once, by
/// <see cref="SiteGateway.StartAsync"/>: later changes have no effect. <see cref="Overlay"/>, <see cref="Links"/> and
/// the key are the same at all sites. The plain properties bind from a configuration section.
/// </summary>
public sealed partial class SiteGatewayOptions
{
    /// <summary>The port that <see cref="Listen"/> has by default.</summary>
    public const int DefaultPort = 16_900;

    private const int MostOtherAddresses = 8;

    private SecurityOptions _security = new();

    /// <summary>Name of the overlay, the same at all its sites: gateways of another one are refused. 1-255 bytes of
    /// UTF-8. Default: "default".</summary>
    public string Overlay { get; set; } = "default";

    /// <summary>Name of the own site. No other site has it.</summary>
    public string Site { get; set; } = "";

    /// <summary>Address and UDP port at which the gateway listens; port 0 is a free one. With a link by TCP of its own
    /// it listens at the TCP port of that number, too. Default: "0.0.0.0:16900".</summary>
    public string Listen { get; set; } = "0.0.0.0:16900";

    /// <summary>All links of the overlay, also those between other sites. At least one is of the own site.</summary>
    public IList<SiteLinkOptions> Links { get; private set; } = [];

    /// <summary>Names of the groups that span sites, in the default mode. The gateway joins them. What the other sites
    /// do not name goes nowhere.</summary>
    public IList<string> Groups { get; private set; } = [];

    /// <summary>File with the key of the links, or with several, one a line: the first seals, all open. As
    /// <see cref="PreSharedKey.FromFile"/>, but read once. Null (default): <see cref="UsePreSharedKey"/> gives one.
    /// </summary>
    public string? KeyFile { get; set; }

    /// <summary>File with the gateway's certificate and those of its authority's intermediates, as PEM; needed where a
    /// link of the own site is by TCP (<see cref="SiteLinkOptions.Transport"/>). It is for servers and clients, and has
    /// the name that other sites expect (<see cref="SiteLinkOptions.CertificateName"/>). Read again at the next
    /// connection when it has changed. Null (default): none.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>File with the private key of <see cref="CertificateFile"/>, as PEM. Null (default): the same file.
    /// </summary>
    public string? CertificateKeyFile { get; set; }

    /// <summary>File with the authorities that issue the certificates of the other gateways, as PEM. Those of the
    /// system are not trusted. Read again when it has changed. Null (default): none.</summary>
    public string? TrustedRootsFile { get; set; }

    /// <summary>Whether what comes from other sites is published with its origin in front (<see cref="SiteMessage"/>).
    /// Members see the gateway as the sender either way. Not for typed groups, which read no origins. Default: false.
    /// </summary>
    public bool NamesOrigins { get; set; }

    /// <summary>Bytes of a group that wait here to be sent to other sites, at most. At half of it
    /// <see cref="SitePressure"/> holds senders up. Beyond it new messages are dropped for the other sites, and log
    /// record 1711 names the slow site. Default: 32 MiB.</summary>
    public long MaxWaitingBytesPerGroup { get; set; } = 32 << 20;

    /// <summary>How long messages are kept for a site that cannot be reached. A cut that is shorter loses nothing,
    /// while no more than <see cref="MaxWaitingBytesPerGroup"/> waits. Zero: not at all. Default: 30 s.</summary>
    public TimeSpan HoldTime { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long after the last member of a group has left other sites still send to the group here. Nothing
    /// that is sent later comes, until a member joins and other sites know it. Members beside gateways do not count. A
    /// site with members in more than 100 groups gets all. <see cref="Timeout.InfiniteTimeSpan"/>: other sites always
    /// send. Default: 30 s.</summary>
    public TimeSpan PruneAfter { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Whether this gateway stands by while another of its site is active, and takes over when that one is gone. All
    /// gateways of the site have it, and the same <see cref="Groups"/>; other sites list the addresses of all
    /// (<see cref="SiteLinkOptions.OtherAddresses"/>). It keeps what other sites may lack, up to
    /// <see cref="MaxWaitingBytesPerGroup"/>. What comes from other sites is acknowledged once all members of the group
    /// here hold it; otherwise once it is sent. Default: false, so a start waits 30 s for the end of the other, and
    /// then throws.
    /// </summary>
    public bool Standby { get; set; }

    /// <summary>Whether the gateway carries the order of all sites (<see cref="SiteOrder"/>). All gateways of the
    /// overlay have the same value: the order waits for each site. <see cref="Groups"/> may then be empty. Default:
    /// false.</summary>
    public bool OrdersGroups { get; set; }

    /// <summary>What the order of all sites does without sites that cannot be reached. All gateways of the overlay have
    /// the same value: another is refused, and the order waits. Default: it waits for them.</summary>
    public SiteCutPolicy CutPolicy { get; set; }

    /// <summary>How long a site cannot be reached before the order goes on without it, where <see cref="CutPolicy"/>
    /// says so. Shorter than <see cref="HoldTime"/>, it may stand until then once 4,096 records are kept for that site.
    /// One second to an hour. Default: 10 s.</summary>
    public TimeSpan LeaveOutAfter { get; set; } = TimeSpan.FromSeconds(10);

    internal ILoggerFactory? LoggerFactory { get; private set; }

    internal IMeterFactory? MeterFactory { get; private set; }

    internal IReadOnlyList<PreSharedKey> Keys { get; private set; } = [];

    /// <summary>Where certificates are, in the form in which nodes have them.</summary>
    internal SecurityOptions Security
    {
        get
        {
            SecurityOptions security = _security.Copy();
            security.CertificateFile = CertificateFile;
            security.CertificateKeyFile = CertificateKeyFile;
            security.TrustedRootsFile = TrustedRootsFile;
            return security;
        }
    }

    /// <summary>Seals the links with a key that all gateways hold. It may be the key of the clusters.</summary>
    /// <param name="key">The key that seals.</param>
    /// <param name="accepted">Further keys that open what others seal, while a key is replaced.</param>
    /// <returns>This instance.</returns>
    public SiteGatewayOptions UsePreSharedKey(PreSharedKey key, params ReadOnlySpan<PreSharedKey> accepted)
    {
        ArgumentNullException.ThrowIfNull(key);
        foreach (PreSharedKey one in accepted) ArgumentNullException.ThrowIfNull(one, nameof(accepted));
        Keys = [key, .. accepted];
        return this;
    }

    /// <summary>Gives the certificate of the gateway, for programs that do not keep it in files. What it is for:
    /// <see cref="CertificateFile"/>. <see cref="CertificateOptions.ServerNames"/> has no effect here.</summary>
    /// <param name="configure">Sets the certificate, and the authorities of the other gateways.</param>
    /// <returns>This instance.</returns>
    public SiteGatewayOptions UseCertificates(Action<CertificateOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        _security.UseCertificates(configure);
        return this;
    }

    /// <summary>Sets the factory of the gateway's logger. The caller keeps ownership. Default: warnings and errors go
    /// to the standard error stream.</summary>
    /// <returns>This instance.</returns>
    public SiteGatewayOptions UseLoggerFactory(ILoggerFactory factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        LoggerFactory = factory;
        return this;
    }

    /// <summary>Sets the factory of the meter "QuickSilver.WideArea". The caller keeps ownership. Default: the gateway
    /// makes its own.</summary>
    /// <returns>This instance.</returns>
    public SiteGatewayOptions UseMeterFactory(IMeterFactory factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        MeterFactory = factory;
        return this;
    }

    /// <summary>Returns all faults of these options, one per entry, each beginning with the path of its option. Files
    /// are not read. Empty if every option is valid.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal SiteGatewayOptions Copy()
    {
        var copy = (SiteGatewayOptions)MemberwiseClone();
        copy.Links = [.. Links.Select(static link => link?.Copy()!)];
        copy.Groups = [.. Groups];
        copy._security = _security.Copy();
        return copy;
    }

    internal OptionErrors Check()
    {
        var errors = new OptionErrors();
        CheckName(errors, "Overlay", Overlay);
        CheckName(errors, "Site", Site);
        if (!IPEndPoint.TryParse(Listen ?? "", out IPEndPoint? listen) || (listen.Port == 0 && !Listen!.EndsWith(":0")))
            errors.Add("Listen", $"'{Listen}' is no address with a port, such as 0.0.0.0:{DefaultPort}");
        CheckLinks(errors);
        CheckGroups(errors);
        if (KeyFile is not null && Keys.Count > 0)
            errors.Add("KeyFile", "is set, and so is a key by UsePreSharedKey: leave one out");
        if (KeyFile is null && Keys.Count == 0)
            errors.Add("KeyFile", "is not set: links have a key. PreSharedKey.CreateFile makes one");
        errors.InRange("MaxWaitingBytesPerGroup", MaxWaitingBytesPerGroup, 1 << 16, 1L << 40);
        if (HoldTime < TimeSpan.Zero || HoldTime > TimeSpan.FromHours(1))
            errors.Add("HoldTime", $"{HoldTime} is not between zero and an hour");
        errors.Defined("CutPolicy", CutPolicy);
        if (LeaveOutAfter < TimeSpan.FromSeconds(1) || LeaveOutAfter > TimeSpan.FromHours(1))
            errors.Add("LeaveOutAfter", $"{LeaveOutAfter} is not between a second and an hour");
        bool prunes = PruneAfter != Timeout.InfiniteTimeSpan;
        if (prunes && (PruneAfter < TimeSpan.Zero || PruneAfter > TimeSpan.FromHours(1)))
            errors.Add("PruneAfter", $"{PruneAfter} is neither between zero and an hour nor Timeout.InfiniteTimeSpan");
        return errors;
    }
}
