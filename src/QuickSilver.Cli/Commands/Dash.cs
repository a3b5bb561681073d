using System.CommandLine;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Shows the dashboard of the cluster to browsers, for those without a web host of their own.</summary>
internal sealed class Dash : NodeCommand
{
    private readonly Option<string> _listen = new("--listen")
    {
        Description = "Address and port of the page. Anybody who reaches them sees the cluster.",
        HelpName = "ADDRESS:PORT",
        DefaultValueFactory = static _ => "127.0.0.1:5003",
    };

    private readonly Option<string[]> _host = new("--host")
    {
        Description = "A further name that browsers may call this machine by; may be given several times.",
        HelpName = "NAME",
        DefaultValueFactory = static _ => [],
    };

    /// <summary>Makes the command.</summary>
    public Dash()
        : base("dash", "Shows a page of the cluster to browsers.")
    {
        Line.Options.Add(_listen);
        Line.Options.Add(_host);
    }

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        string listen = call.Value(_listen)!;
        if (!IPEndPoint.TryParse(listen, out IPEndPoint? place))
            throw CommandFailure.WrongArguments($"--listen: '{listen}' is no ADDRESS:PORT, such as 127.0.0.1:5003.");
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(server => server.Listen(place));
        // A page of another site must not read this one by a name that it has pointed here.
        builder.Services.AddHostFiltering(
            filter => filter.AllowedHosts =
                [place.Address.ToString(), $"[{place.Address}]", "localhost", .. call.Value(_host)!]);
        await using WebApplication page = builder.Build();
        page.UseHostFiltering();
        page.MapQuickSilverDashboard("", node);
        await page.StartAsync(call.Stop).ConfigureAwait(false);
        string address = $"{page.Urls.First()}/";
        call.Printer.Print(new PrintItem("dashboard").Add("address", address).Say($"The dashboard is at {address}"));
        if (!IPAddress.IsLoopback(place.Address))
            call.Printer.Print(new PrintItem("open").Remark("Anybody who reaches this address sees the cluster."));
        call.Printer.Flush();
        await Task.Delay(Timeout.Infinite, call.Stop).ConfigureAwait(false);
        return ExitCode.Done;
    }
}
