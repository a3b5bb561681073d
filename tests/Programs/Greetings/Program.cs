using System.Globalization;
using Greetings;

// The two programs of the README, word for word, at a membership port of their own: Greetings subscribe PORT, or
// Greetings publish PORT.
QuickSilverNode.Port = int.Parse(args[1], CultureInfo.InvariantCulture);
await (args[0] == "publish" ? ReadmePrograms.PublishAsync() : ReadmePrograms.SubscribeAsync());
