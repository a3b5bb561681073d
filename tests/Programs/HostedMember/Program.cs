using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using OpenTelemetry.Trace;
using QuickSilver.Hosting;
using QuickSilver.Tests.Programs;

// A host with a node. HostedMember PORT send: it sends numbers until it is told to stop, and says how many were
// admitted. HostedMember PORT trace: it handles words, and prints the spans that its exporter gets.
HostApplicationBuilder builder = Host.CreateApplicationBuilder();
QuickSilverBuilder node = builder.Services.AddQuickSilver(options =>
{
    options.ClusterName = "hosted";
    options.NodeName = "member";
    options.Membership.Port = int.Parse(args[0], CultureInfo.InvariantCulture);
});
if (args[1] == "send")
{
    node.AddGroup("numbers", static group => group.Group.SelfDelivery = false);
    builder.Services.AddHostedService<Sender>();
}
else
{
    node.AddGroup("words", WordContext.Default.Word, static group => group.Typed.Tracing = true)
        .AddHandler<WordHandler>("words");
    builder.Services.AddOpenTelemetry().WithTracing(
        static tracing => tracing.AddQuickSilverInstrumentation().AddInMemoryExporter(new PrintedSpans()));
}
await builder.Build().RunAsync();
