using System.CommandLine;
using Microsoft.Extensions.Logging;
using QuickSilver.Cli.Commands;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Arguments;

/// <summary>The options that all commands with a node have, and the one place that makes a node's options of
/// them.</summary>
internal sealed class NodeArguments
{
    private const double UsualTimeout = 10;

    private readonly Option<string[]> _server = new("--server", "-s")
    {
        Description = "A membership server: ADDRESS, [IPV6], or with :PORT. May be given several times. Without one "
            + "the cluster is that of this machine.",
        HelpName = "HOST:PORT",
    };

    private readonly Option<string?> _cluster = new("--cluster", "-c")
    { Description = "Name of the cluster [default: default].", HelpName = "NAME" };

    private readonly Option<string?> _name = new("--name")
    { Description = "Name of this node [default: made of host and process].", HelpName = "NAME" };

    private readonly Option<int?> _port = new("--port")
    { Description = "Port of the membership [default: 14999].", HelpName = "PORT" };

    private readonly Option<string?> _keyFile = new("--key-file", "-k")
    { Description = "File with the cluster's key.", HelpName = "FILE" };

    private readonly Option<string?> _certificateFile = new("--certificate-file")
    { Description = "File with this node's certificate (PEM).", HelpName = "FILE" };

    private readonly Option<string?> _certificateKeyFile = new("--certificate-key-file")
    { Description = "File with its private key (PEM).", HelpName = "FILE" };

    private readonly Option<string?> _trustedRootsFile = new("--trusted-roots-file")
    { Description = "File with the authorities of the cluster (PEM).", HelpName = "FILE" };

    private readonly Option<bool> _insecure = new("--insecure")
    { Description = "No security: everyone may read and forge messages." };

    private readonly Option<TransportKind?> _transport = new("--transport")
    { Description = "How packets travel [default: Auto]." };

    private readonly Option<string?> _interface = new("--interface", "-i")
    { Description = "An interface: its name, its address, or its network (10.77.0.0/24).", HelpName = "WHICH" };

    private readonly Option<double> _timeout = new Option<double>("--timeout", "-t")
    {
        Description = "Limit of a start and of each wait, in seconds.",
        HelpName = "SECONDS",
        DefaultValueFactory = static _ => UsualTimeout,
    }.Above(0.0);

    private readonly Option<string?> _settings = new("--settings")
    {
        Description = "JSON file with a section \"QuickSilver\", as a service has it. Options of the command line take "
            + "precedence.",
        HelpName = "FILE",
    };

    private readonly Option<bool> _verbose = new("--verbose", "-v")
    { Description = "The node's log, from level Information on, on the error stream." };

    /// <summary>Adds the options to a command.</summary>
    public NodeArguments(Command command)
    {
        _transport.Validators.Add(result =>
        {
            if (!result.Errors.Any() && result.GetValueOrDefault<TransportKind?>() == TransportKind.InMemory)
                result.AddError("--transport InMemory reaches nodes of one process only.");
        });
        Option[] all =
        [
            _server, _cluster, _name, _port, _keyFile, _certificateFile, _certificateKeyFile, _trustedRootsFile,
            _insecure, _transport, _interface, _timeout, _settings, _verbose,
        ];
        foreach (Option option in all) command.Options.Add(option);
    }

    /// <summary>The limit of each wait.</summary>
    public TimeSpan Timeout(CommandCall call) => TimeSpan.FromSeconds(call.Value(_timeout));

    /// <summary>Makes the options of a node.</summary>
    /// <param name="call">The command line.</param>
    /// <param name="heard">Told the records of the node's log; null for nobody.</param>
    /// <param name="quiet">True to print no log.</param>
    /// <exception cref="CommandFailure">The settings have mistakes.</exception>
    public QuickSilverOptions Read(CommandCall call, Action<int, LogLevel, string>? heard = null, bool quiet = false)
    {
        var options = new QuickSilverOptions();
        if (call.Value(_settings) is { } file) SettingsFile.Read(file, options);
        if (call.Value(_cluster) is { } cluster) options.ClusterName = cluster;
        if (call.Value(_name) is { } name) options.NodeName = name;
        if (call.Value(_port) is { } port) options.Membership.Port = port;
        if (call.Value(_transport) is { } transport) options.Transport.Kind = transport;
        if (call.Value(_interface) is { } card) options.Transport.Interface = card;
        if (call.Value(_server) is { Length: > 0 } servers)
        {
            options.Membership.Mode = MembershipMode.Client;
            options.Membership.Servers.Clear();
            foreach (string server in servers)
                options.Membership.Servers.Add(WithPort(server, options.Membership.Port));
        }
        ReadSecurity(call, options.Security);
        TimeSpan timeout = Timeout(call);
        options.Membership.JoinTimeout = timeout;
        LogLevel least = quiet ? LogLevel.None : call.Value(_verbose) ? LogLevel.Information : LogLevel.Warning;
        return options.UseLoggerFactory(new CliLog(Console.Error, least) { Heard = heard });
    }

    /// <summary>"10.0.0.5" is "10.0.0.5:14999".</summary>
    internal static string WithPort(string server, int port)
    {
        bool hasPort = server.LastIndexOf(':') > server.LastIndexOf(']');
        return hasPort ? server : $"{server}:{port}";
    }

    private void ReadSecurity(CommandCall call, SecurityOptions security)
    {
        if (call.Value(_keyFile) is { } key)
        {
            (security.KeyFile, security.Mode) = (key, SecurityMode.PreSharedKey);
            (security.CertificateFile, security.CertificateKeyFile, security.TrustedRootsFile) = (null, null, null);
        }
        if (call.Value(_certificateFile) is { } certificate)
        {
            if (call.Value(_keyFile) is not null)
                throw CommandFailure.WrongArguments("Give --key-file or --certificate-file, not both.");
            (security.CertificateFile, security.Mode) = (certificate, SecurityMode.Certificates);
            security.KeyFile = null;
        }
        if (call.Value(_certificateKeyFile) is { } secret) security.CertificateKeyFile = secret;
        if (call.Value(_trustedRootsFile) is { } roots) security.TrustedRootsFile = roots;
        if (!call.Value(_insecure)) return;
        if (call.Value(_keyFile) is not null || call.Value(_certificateFile) is not null)
            throw CommandFailure.WrongArguments("Give a key or a certificate, or --insecure, not both.");
        security.KeyFile = security.CertificateFile = security.CertificateKeyFile = security.TrustedRootsFile = null;
        security.UseNone();
    }
}
