// Dashboard: a page that shows all nodes of a cluster, who is slow and why, rates, loss and repair, groups and views.
//
//   dotnet run -c Release --project samples/Dashboard -- --urls http://127.0.0.1:5003
//
// Then open http://127.0.0.1:5003/quicksilver/ and start other nodes, such as samples/Publisher and samples/Subscriber.
// Who reaches the port sees the cluster: put authorization in front of it, as by .RequireAuthorization(), and keep
// AllowedHosts narrow ("AllowedHosts": "desk.example.com").

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
builder.Services.AddHostFiltering(filter =>
    filter.AllowedHosts = (builder.Configuration["AllowedHosts"] ?? "localhost;127.0.0.1;[::1]").Split(';'));
builder.Services.AddQuickSilver();
WebApplication app = builder.Build();
app.UseHostFiltering();
app.MapQuickSilverDashboard("/quicksilver");
await app.RunAsync();
