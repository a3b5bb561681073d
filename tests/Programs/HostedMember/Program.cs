using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using QuickSilver.Tests.Programs;

// A host with a node: HostedMember PORT. It sends numbers until it is told to stop, and says how many were admitted.
HostApplicationBuilder builder = Host.CreateApplicationBuilder();
builder.Services.AddQuickSilver(options =>
    {
        options.ClusterName = "hosted";
        options.NodeName = "member";
        options.Membership.Port = int.Parse(args[0], CultureInfo.InvariantCulture);
    })
    .AddGroup("numbers", static group => group.Group.SelfDelivery = false);
builder.Services.AddHostedService<Sender>();
await builder.Build().RunAsync();
